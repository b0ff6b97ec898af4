import {createHash} from 'node:crypto'

/** A manifest of an image, or an index of such, as the bytes that its digest is of. */
interface Manifest {
  readonly bytes: Buffer
  readonly mediaType: string
  /** `sha256:…` */
  readonly digest: string
}

/** What a manifest says of something that it consists of. */
interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** A place that keeps images: a registry, or an OCI layout in a directory. All rejects with `KK_IMAGE`. */
export interface ContentStore {
  /** For people. */
  readonly name: string
  /** The digest under a tag or a digest of a repository; undefined where it has none. */
  digestOf(repository: string, reference: string): Promise<string | undefined>
  manifest(repository: string, reference: string): Promise<Manifest | undefined>
  hasBlob(repository: string, digest: string): Promise<boolean>
  readBlob(repository: string, blob: Descriptor): Promise<AsyncIterable<Uint8Array>>
  writeBlob(repository: string, blob: Descriptor, bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Writes a manifest after all that it consists of; without a tag it is known by its digest alone. */
  writeManifest(repository: string, manifest: Manifest, tag?: string): Promise<void>
}

const IMAGE_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

/** The forms of manifests and indexes: OCI's, and Docker's older ones. */
export const MANIFEST_TYPES: readonly string[] = [
  IMAGE_MANIFEST,
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]

export function sha256(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
