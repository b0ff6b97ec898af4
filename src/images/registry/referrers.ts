import {type Descriptor, IMAGE_INDEX, IMAGE_MANIFEST, type Manifest, sha256} from './content.ts'
import type {Distribution} from './distribution.ts'

/** A document attached to a manifest. */
export interface Attachment {
  /** The manifest to which it is attached. */
  readonly subject: Descriptor
  readonly mediaType: string
  readonly bytes: Buffer
}

/** OCI's empty config, for manifests that are only attached to another one. */
const EMPTY = {mediaType: 'application/vnd.oci.empty.v1+json', bytes: Buffer.from('{}')}

/** Resolves with whether a document is already attached to a manifest. Rejects with `KK_IMAGE`. */
export async function isAttached(
  store: Distribution,
  repository: string,
  attachment: Attachment,
): Promise<boolean> {
  const {manifest} = buildParts(attachment)
  const {attached} = await readReferrers(store, repository, attachment)
  return attached.some(({digest}) => digest === manifest.digest)
}

/**
 * Attaches a document to a manifest, idempotently: through the field `subject`, and for registries without
 * the referrers API also in the index under OCI's fallback tag (distribution-spec 1.1: referrers tag schema).
 * Resolves with whether it is new. Rejects with `KK_IMAGE` if the registry does not accept it.
 */
export async function attach(
  store: Distribution,
  repository: string,
  attachment: Attachment,
): Promise<'new' | 'there'> {
  const {mediaType, bytes} = attachment
  const {layer, config, manifest} = buildParts(attachment)
  const {attached, tag} = await readReferrers(store, repository, attachment)
  if (attached.some(({digest}) => digest === manifest.digest)) return 'there'

  await writeMissing(store, repository, config, EMPTY.bytes)
  await writeMissing(store, repository, layer, bytes)
  await store.writeManifest(repository, manifest)
  if (tag === undefined) return 'new'
  const entry = {
    ...{mediaType: IMAGE_MANIFEST, digest: manifest.digest, size: manifest.bytes.length},
    artifactType: mediaType,
  }
  await store.writeManifest(repository, buildManifest(IMAGE_INDEX, {manifests: [...attached, entry]}), tag)
  return 'new'
}

/** Returns the manifest of an attachment, and the two blobs to which it refers. */
function buildParts({subject, mediaType, bytes}: Attachment) {
  const layer = {mediaType, digest: sha256(bytes), size: bytes.length}
  const config = {mediaType: EMPTY.mediaType, digest: sha256(EMPTY.bytes), size: EMPTY.bytes.length}
  const manifest = buildManifest(IMAGE_MANIFEST, {artifactType: mediaType, config, layers: [layer], subject})
  return {layer, config, manifest}
}

/**
 * Resolves with what is attached to a manifest, and the fallback tag if the registry has no referrers API.
 */
async function readReferrers(
  store: Distribution,
  repository: string,
  {subject}: Attachment,
): Promise<{readonly attached: readonly Descriptor[]; readonly tag?: string}> {
  const listed = await store.referrers(repository, subject.digest)
  if (listed) return {attached: listed}
  const tag = subject.digest.replace(':', '-')
  return {attached: await readFallbackIndex(store, repository, tag), tag}
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

async function readFallbackIndex(
  store: Distribution,
  repository: string,
  tag: string,
): Promise<readonly Descriptor[]> {
  const manifest = await store.manifest(repository, tag)
  if (!manifest) return []
  return (JSON.parse(manifest.bytes.toString()) as {manifests?: readonly Descriptor[]}).manifests ?? []
}

function buildManifest(mediaType: string, content: object): Manifest {
  const bytes = Buffer.from(JSON.stringify({schemaVersion: 2, mediaType, ...content}))
  return {bytes, mediaType, digest: sha256(bytes)}
}
