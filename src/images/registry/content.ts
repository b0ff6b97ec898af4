import {createHash} from 'node:crypto'
import {KkError} from '../../base/errors.ts'

/** An image manifest or index, as the bytes that its digest covers. */
export interface Manifest {
  readonly bytes: Buffer
  readonly mediaType: string
  /** `sha256:…` */
  readonly digest: string
}

/** A reference of a manifest to its content. */
export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

type ReadBlob = () => Promise<AsyncIterable<Uint8Array>>

/** A store of images: a registry, or an OCI layout in a directory. All methods reject with `KK_IMAGE`. */
export interface ContentStore {
  /** For messages. */
  readonly name: string
  /** Resolves with the digest of a tag or digest in a repository; undefined if it does not exist. */
  digestOf(repository: string, reference: string): Promise<string | undefined>
  manifest(repository: string, reference: string): Promise<Manifest | undefined>
  hasBlob(repository: string, digest: string): Promise<boolean>
  readBlob(repository: string, blob: Descriptor): Promise<AsyncIterable<Uint8Array>>
  /**
   * Writes the blob that `read` returns, unless it can be mounted from `mount`, another repository of this
   * store.
   */
  writeBlob(repository: string, blob: Descriptor, read: ReadBlob, mount?: string): Promise<void>
  /** Writes a manifest after its content, under a tag or its digest; without a name as part of an index. */
  writeManifest(repository: string, manifest: Manifest, name?: string): Promise<void>
}

export const IMAGE_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
export const IMAGE_INDEX = 'application/vnd.oci.image.index.v1+json'

/** The media types of manifests and indexes: OCI's, and Docker's older ones. */
export const MANIFEST_TYPES: readonly string[] = [
  IMAGE_MANIFEST,
  IMAGE_INDEX,
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]

export function sha256(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** Returns true for `sha256:…`, which cannot be a tag. */
export function isDigest(reference: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(reference)
}

/**
 * Yields the bytes of a blob. Rejects with `KK_IMAGE` before the last of them if they do not match its
 * digest, so that a registry never receives, and answers, the whole of a wrong blob.
 */
export async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  {digest, size}: Descriptor,
  source: string,
): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  let length = 0
  let last: Uint8Array | undefined
  for await (const part of bytes) {
    hash.update(part)
    length += part.length
    if (last) yield last
    last = part
  }
  const actual = `sha256:${hash.digest('hex')}`
  if (actual === digest && length === size) {
    if (last) yield last
    return
  }
  throw new KkError(
    'KK_IMAGE',
    `${source} returned ${length} bytes of ${actual} for ${digest}, expected ${size}`,
    {hint: 'retry; if this persists, the stored content has changed: contact its operator'},
  )
}
