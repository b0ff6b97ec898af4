import {type Descriptor, IMAGE_INDEX, IMAGE_MANIFEST, type Manifest, sha256} from './content.ts'
import type {Distribution} from './distribution.ts'

/** A document about a manifest. */
export interface Attachment {
  /** The manifest that it is about. */
  readonly subject: Descriptor
  readonly mediaType: string
  readonly bytes: Buffer
}

/** OCI's own for what is only attached to another manifest. */
const EMPTY = {mediaType: 'application/vnd.oci.empty.v1+json', bytes: Buffer.from('{}')}

/** Returns whether a document is attached to a manifest already. Rejects with `KK_IMAGE`. */
export async function isAttached(
  store: Distribution,
  repository: string,
  attachment: Attachment,
): Promise<boolean> {
  const {manifest} = partsOf(attachment)
  const {others} = await referrersOf(store, repository, attachment)
  return others.some(({digest}) => digest === manifest.digest)
}

/**
 * Attaches a document to a manifest, unless it is there already: by the field `subject`, and for registries without the API of
 * referrers in the index under the tag that OCI gives it then (distribution-spec 1.1: referrers tag schema). Returns whether it is
 * new. Rejects with `KK_IMAGE` where the registry does not take it.
 */
export async function attach(
  store: Distribution,
  repository: string,
  attachment: Attachment,
): Promise<'new' | 'there'> {
  const {mediaType, bytes} = attachment
  const {layer, config, manifest} = partsOf(attachment)
  const {others, tag} = await referrersOf(store, repository, attachment)
  if (others.some(({digest}) => digest === manifest.digest)) return 'there'

  await writeMissing(store, repository, config, EMPTY.bytes)
  await writeMissing(store, repository, layer, bytes)
  await store.writeManifest(repository, manifest)
  if (tag === undefined) return 'new'
  const entry = {
    ...{mediaType: IMAGE_MANIFEST, digest: manifest.digest, size: manifest.bytes.length},
    artifactType: mediaType,
  }
  await store.writeManifest(repository, manifestOf(IMAGE_INDEX, {manifests: [...others, entry]}), tag)
  return 'new'
}

/** Returns the manifest of an attachment, and the two blobs that it names. */
function partsOf({subject, mediaType, bytes}: Attachment) {
  const layer = {mediaType, digest: sha256(bytes), size: bytes.length}
  const config = {mediaType: EMPTY.mediaType, digest: sha256(EMPTY.bytes), size: EMPTY.bytes.length}
  const manifest = manifestOf(IMAGE_MANIFEST, {artifactType: mediaType, config, layers: [layer], subject})
  return {layer, config, manifest}
}

/** Returns what is attached to a manifest, and the tag that lists it where the registry has no API for that. */
async function referrersOf(
  store: Distribution,
  repository: string,
  {subject}: Attachment,
): Promise<{readonly others: readonly Descriptor[]; readonly tag?: string}> {
  const listed = await store.referrers(repository, subject.digest)
  if (listed) return {others: listed}
  const tag = subject.digest.replace(':', '-')
  return {others: await indexed(store, repository, tag), tag}
}

async function writeMissing(
  store: Distribution,
  repository: string,
  blob: Descriptor,
  bytes: Buffer,
): Promise<void> {
  if (await store.hasBlob(repository, blob.digest)) return
  await store.writeBlob(repository, blob, async () => once(bytes))
}

async function* once(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes
}

async function indexed(store: Distribution, repository: string, tag: string): Promise<readonly Descriptor[]> {
  const manifest = await store.manifest(repository, tag)
  if (!manifest) return []
  return (JSON.parse(manifest.bytes.toString()) as {manifests?: readonly Descriptor[]}).manifests ?? []
}

function manifestOf(mediaType: string, content: object): Manifest {
  const bytes = Buffer.from(JSON.stringify({schemaVersion: 2, mediaType, ...content}))
  return {bytes, mediaType, digest: sha256(bytes)}
}
