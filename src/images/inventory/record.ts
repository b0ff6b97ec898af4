import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {writeAtomically} from '../../state/files/write-atomically.ts'

/** What kk remembers of an image that it has built. */
export interface ImageRecord {
  /** Of `inputsDigest`. */
  readonly inputs: string
  /** buildah's, without an algorithm. */
  readonly id: string
  readonly version: string
  readonly built: string
  readonly packages: number
  /** Program that it carries → what decided it then. */
  readonly carried?: Readonly<Record<string, string>>
  /** Registry → the digest of the manifest that was pushed there. */
  readonly pushed: Readonly<Record<string, string>>
}

/** The package list of an image, beside its record. */
export function packageListPath(cache: string, name: string): string {
  return join(cache, `${name}.spdx.json`)
}

/** Undefined when there is none, or none that can be read: then the image is built again. */
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
