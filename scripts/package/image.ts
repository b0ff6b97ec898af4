import {type Descriptor, IMAGE_INDEX, IMAGE_MANIFEST, sha256} from '../../src/images/registry/content.ts'
import {type Entry, gzipped, tar, textEntry} from './archive.ts'
import {contents} from './contents.ts'
import {type Architecture, OTHER_NAMES, type Release} from './release.ts'

const NOBODY = 65_534

interface ImageParts {
  readonly arch: Architecture
  readonly release: Release
  /** The base files of kk and helm. */
  readonly base: readonly Entry[]
  readonly helm: readonly Entry[]
}

/**
 * Returns an image as an archive of OCI's layout (opencontainers/image-spec: image-layout.md), written
 * without an engine: a layer of Debian's files, one of helm, and one of kk.
 */
export async function imageArchive(kk: Buffer, {arch, release, base, helm}: ImageParts): Promise<Buffer> {
  const {version, date, commit} = release
  const inUsr = await contents(kk, 'image', release)
  const own = inUsr.map((entry) => ({...entry, path: `usr/${entry.path}`}))
  const users = `root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:${NOBODY}:${NOBODY}:nobody:/tmp:/usr/sbin/nologin\n`
  const layers = [
    await tar(base, {time: date}),
    await tar(helm, {time: date}),
    await tar([...own, textEntry('etc/passwd', users)], {time: date, empty: {tmp: 0o1777}}),
  ]
  const created = date.toISOString()
  const labels = {
    'org.opencontainers.image.title': 'kk',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    ...(commit !== null && {'org.opencontainers.image.revision': commit}),
  }
  const config = json({
    created,
    architecture: OTHER_NAMES[arch],
    os: 'linux',
    config: {
      User: `${NOBODY}:${NOBODY}`,
      Env: ['PATH=/usr/local/bin:/usr/bin', 'HOME=/tmp'],
      Entrypoint: ['/usr/bin/kk'],
      Labels: labels,
    },
    rootfs: {type: 'layers', diff_ids: layers.map(sha256)},
    history: ['files of Debian 13', 'helm', `kk ${version}`].map((comment) => ({created, comment})),
  })
  const packed = await Promise.all(layers.map(gzipped))
  const manifest = json({
    schemaVersion: 2,
    mediaType: IMAGE_MANIFEST,
    config: descriptor('application/vnd.oci.image.config.v1+json', config),
    layers: packed.map((layer) => descriptor('application/vnd.oci.image.layer.v1.tar+gzip', layer)),
    annotations: labels,
  })
  const index = json({
    schemaVersion: 2,
    mediaType: IMAGE_INDEX,
    manifests: [
      {
        ...descriptor(IMAGE_MANIFEST, manifest),
        platform: {architecture: OTHER_NAMES[arch], os: 'linux'},
        annotations: {'org.opencontainers.image.ref.name': version},
      },
    ],
  })
  return tar(
    [
      textEntry('oci-layout', '{"imageLayoutVersion":"1.0.0"}'),
      {path: 'index.json', content: index},
      ...[config, manifest, ...packed].map((bytes) => ({
        path: `blobs/${sha256(bytes).replace(':', '/')}`,
        content: bytes,
      })),
    ],
    {time: date},
  )
}

function descriptor(mediaType: string, bytes: Buffer): Descriptor {
  return {mediaType, digest: sha256(bytes), size: bytes.length}
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
