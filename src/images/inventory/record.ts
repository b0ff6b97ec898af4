import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {writeAtomically} from '../../state/files/write-atomically.ts'

/** What kk records of an image that it has built. */
export interface ImageRecord {
  /** The result of `inputsDigest`. */
  readonly inputs: string
  /** buildah's image id, without the algorithm. */
  readonly id: string
  readonly version: string
  readonly built: string
  readonly packages: number
  /** The digests of carried programs at the build, by program. */
  readonly carried?: Readonly<Record<string, string>>
  /** The digest of the manifest pushed to each registry, by registry. */
  readonly pushed: Readonly<Record<string, string>>
}

/** Returns the path of an image's package list, next to its record. */
export function packageListPath(cache: string, name: string): string {
  return join(cache, `${name}.spdx.json`)
}

/** Returns undefined if there is no readable record: the image is then rebuilt. */
export async function readRecord(cache: string, name: string): Promise<ImageRecord | undefined> {
  try {
    return JSON.parse(await readFile(recordPath(cache, name), 'utf8')) as ImageRecord
  } catch {
    return undefined
  }
}

export async function writeRecord(cache: string, name: string, record: ImageRecord): Promise<void> {
  await writeAtomically(recordPath(cache, name), `${JSON.stringify(record, undefined, 2)}\n`)
}

function recordPath(cache: string, name: string): string {
  return join(cache, `${name}.json`)
}
