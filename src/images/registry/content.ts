import {createHash} from 'node:crypto'
import {KkError} from '../../base/errors.ts'

/** A manifest of an image, or an index of such, as the bytes that its digest is of. */
export interface Manifest {
  readonly bytes: Buffer
  readonly mediaType: string
  /** `sha256:…` */
  readonly digest: string
}

/** What a manifest says of something that it consists of. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

type ReadBlob = () => Promise<AsyncIterable<Uint8Array>>

/** A place that keeps images: a registry, or an OCI layout in a directory. All rejects with `KK_IMAGE`. */
export interface ContentStore {
  /** For people. */
  readonly name: string
  /** The digest under a tag or a digest of a repository; undefined where it has none. */
  digestOf(repository: string, reference: string): Promise<string | undefined>
  manifest(repository: string, reference: string): Promise<Manifest | undefined>
  hasBlob(repository: string, digest: string): Promise<boolean>
  readBlob(repository: string, blob: Descriptor): Promise<AsyncIterable<Uint8Array>>
  /** Writes what `read` returns; from `mount`, another repository of this store that has it, nothing need be sent. */
  writeBlob(repository: string, blob: Descriptor, read: ReadBlob, mount?: string): Promise<void>
  /** Writes a manifest after all that it consists of, under a tag or its digest; without a name it is part of another. */
  writeManifest(repository: string, manifest: Manifest, name?: string): Promise<void>
}

export const IMAGE_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
export const IMAGE_INDEX = 'application/vnd.oci.image.index.v1+json'

/** The forms of manifests and indexes: OCI's, and Docker's older ones. */
export const MANIFEST_TYPES: readonly string[] = [
  IMAGE_MANIFEST,
  IMAGE_INDEX,
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]

export function sha256(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** Returns true for `sha256:…`, which no tag is. */
export function isDigest(reference: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(reference)
}

/** Returns the bytes of a blob as they come. Rejects with `KK_IMAGE` at their end when they are not those of its digest. */
export async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  {digest, size}: Descriptor,
  source: string,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  let length = 0
  for await (const part of bytes) {
    hash.update(part)
    length += part.length
    yield part
  }
  const came = `sha256:${hash.digest('hex')}`
  if (came === digest && length === size) return
  throw new KkError(
    'KK_IMAGE',
    `${source} gave ${length} bytes of ${came} for ${digest}, which has ${size}`,
    {hint: 'try again; if it stays so, what is there has changed: tell who keeps it'},
  )
}
