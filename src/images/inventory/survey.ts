import {createHash} from 'node:crypto'
import {readdir} from 'node:fs/promises'
import {join, relative} from 'node:path'
import type {Image} from '../image.ts'
import {digestFile} from './carried-programs.ts'
import {type ImageRecord, readRecord} from './record.ts'

/** `outdated`: it was built from other inputs than there are now. */
type ImageState = 'current' | 'outdated' | 'absent'

/** An image, and what is true of it on this machine. */
export interface SurveyedImage {
  readonly image: Image
  readonly inputs: string
  readonly state: ImageState
  readonly record: ImageRecord | undefined
}

export interface SurveyOptions {
  readonly cache: string
  /** Program → what decides it; what this machine has not is taken to be what the image was built with. */
  readonly carried: Readonly<Record<string, string>>
  /** The ids of all images that buildah has. */
  readonly present: ReadonlySet<string>
}

/** Looks at each image; `images` hold every parent before those that stand on it. */
export async function surveyImages(
  images: readonly Image[],
  {cache, carried, present}: SurveyOptions,
): Promise<readonly SurveyedImage[]> {
  const digests = new Map<string, string>()
  const surveyed: SurveyedImage[] = []
  for (const image of images) {
    const record = await readRecord(cache, image.name)
    const inputs = await inputsDigest(
      image,
      image.parents.map((parent) => digests.get(parent)!),
      {...record?.carried, ...carried},
    )
    digests.set(image.name, inputs)
    surveyed.push({image, inputs, record, state: stateOf(inputs, record, present)})
  }
  return surveyed
}

function stateOf(inputs: string, record: ImageRecord | undefined, present: ReadonlySet<string>): ImageState {
  if (record === undefined || !present.has(record.id)) return 'absent'
  return record.inputs === inputs ? 'current' : 'outdated'
}

/**
 * The hash of all that decides an image: what the inventory says of it, its folder, what decides the programs
 * that it carries (by name) and the digests of the images it stands on. Packages are not among it: a newer one is fetched by `--refresh`.
 */
async function inputsDigest(
  image: Image,
  parents: readonly string[],
  carried: Readonly<Record<string, string>>,
): Promise<string> {
  const hash = createHash('sha256')
  const {folder, chart: _, ...facts} = image
  hash.update(JSON.stringify([facts, parents]))
  for (const file of await filesBelow(folder))
    hash.update(`\0${relative(folder, file)}\0${await digestFile(file)}`)
  for (const name of image.carries) hash.update(`\0${name}\0${carried[name]}`)
  return hash.digest('hex')
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true})
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
