import type {Image} from '../image.ts'
import {inputsDigest} from './inputs-digest.ts'
import {type ImageRecord, readRecord} from './record.ts'

/** `outdated`: it was built from other inputs than there are now. */
export type ImageState = 'current' | 'outdated' | 'absent'

/** An image, and what is true of it on this machine. */
export interface SurveyedImage {
  readonly image: Image
  readonly inputs: string
  readonly state: ImageState
  readonly record: ImageRecord | undefined
}

export interface SurveyOptions {
  readonly cache: string
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
    const inputs = await inputsDigest(
      image,
      image.parents.map((parent) => digests.get(parent)!),
      carried,
    )
    digests.set(image.name, inputs)
    const record = await readRecord(cache, image.name)
    surveyed.push({image, inputs, record, state: stateOf(inputs, record, present)})
  }
  return surveyed
}

function stateOf(inputs: string, record: ImageRecord | undefined, present: ReadonlySet<string>): ImageState {
  if (record === undefined || !present.has(record.id)) return 'absent'
  return record.inputs === inputs ? 'current' : 'outdated'
}
