import {createHash} from 'node:crypto'
import {readdir} from 'node:fs/promises'
import {join, relative} from 'node:path'
import type {Image} from '../image.ts'
import {digestFile} from './carried-programs.ts'
import {type ImageRecord, readRecord} from './record.ts'

/** `outdated`: it was built from other inputs than the present ones. */
type ImageState = 'current' | 'outdated' | 'absent'

/** An image, and its state on this machine. */
export interface SurveyedImage {
  readonly image: Image
  readonly inputs: string
  readonly state: ImageState
  readonly record: ImageRecord | undefined
}

export interface SurveyOptions {
  readonly cache: string
  /**
   * Digests of carried programs; a program that this machine lacks is assumed to be unchanged since the
   * build.
   */
  readonly carried: Readonly<Record<string, string>>
  /** The ids of all images in buildah's storage. */
  readonly present: ReadonlySet<string>
}

/** Determines the state of each image; `images` lists every parent before the images based on it. */
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
    surveyed.push({image, inputs, record, state: imageState(inputs, record, present)})
  }
  return surveyed
}

function imageState(
  inputs: string,
  record: ImageRecord | undefined,
  present: ReadonlySet<string>,
): ImageState {
  if (record === undefined || !present.has(record.id)) return 'absent'
  return record.inputs === inputs ? 'current' : 'outdated'
}

/**
 * Returns the hash of everything that determines an image: its inventory entry, its folder, the digests of
 * carried programs (by name) and those of its parents. Package versions are not included: `--refresh` fetches
 * newer ones.
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
