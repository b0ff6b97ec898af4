import {
  type ContentStore,
  type Descriptor,
  IMAGE_INDEX,
  IMAGE_MANIFEST,
  type Manifest,
  sha256,
} from '../../../src/images/registry/content.ts'

/**
 * A small image for each platform, below one index; layers of one text are the same blob. Returns its digest.
 */
export async function pushImage(
  store: ContentStore,
  [repository, tag]: readonly [string, string],
  {layers = [repository], platforms = ['amd64', 'arm64']} = {},
): Promise<string> {
  const blob = async (text: string, mediaType: string): Promise<Descriptor> => {
    const bytes = Buffer.from(text)
    const descriptor = {mediaType, digest: sha256(bytes), size: bytes.length}
    await store.writeBlob(repository, descriptor, async () => only(bytes))
    return descriptor
  }
  const manifests: Descriptor[] = []
  for (const architecture of platforms) {
    const config = await blob(
      JSON.stringify({architecture, os: 'linux', rootfs: {type: 'layers', diff_ids: []}}),
      'application/vnd.oci.image.config.v1+json',
    )
    const own = []
    for (const layer of layers) own.push(await blob(layer, 'application/vnd.oci.image.layer.v1.tar'))
    const manifest = manifestOf(IMAGE_MANIFEST, {config, layers: own})
    await store.writeManifest(repository, manifest)
    const {mediaType, digest, bytes} = manifest
    manifests.push({mediaType, digest, size: bytes.length})
  }
  const index = manifestOf(IMAGE_INDEX, {manifests})
  await store.writeManifest(repository, index, tag)
  return index.digest
}

function manifestOf(mediaType: string, content: object): Manifest {
  const bytes = Buffer.from(JSON.stringify({schemaVersion: 2, mediaType, ...content}))
  return {bytes, mediaType, digest: sha256(bytes)}
}

async function* only(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}
