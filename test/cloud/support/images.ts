import {join} from 'node:path'
import {inject} from 'vitest'
import {bringImages, REGISTRY} from '../../../scripts/cloud/images.ts'
import {phase} from './phase.ts'

export const ROOT = join(import.meta.dirname, '../../..')

/** Brings images of the charts (all, unless named) to the registry of the node. */
export async function pushImages(...names: readonly string[]): Promise<void> {
  // With the cache of whoever runs the tests, where built images are known.
  await phase('images built and pushed', () =>
    bringImages({
      kk: inject('aio').kk,
      ...(names.length > 0 && {names}),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/** The reference of an image of kk's in the registry of the node. */
export function imageOf(name: string): string {
  return `${REGISTRY}/kk/${name}:2025.1-debian-trixie`
}

/** A pushed image by its digest: a node may have an older one by that tag. */
export async function pushedImage(name: string): Promise<string> {
  const [, registry, path, tag] = /^([^/]+)\/(.+):([^:]+)$/.exec(imageOf(name))!
  const answer = await fetch(`http://${registry}/v2/${path}/manifests/${tag}`, {
    method: 'HEAD',
    headers: {
      accept:
        'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json',
    },
  })
  return `${registry}/${path}@${answer.headers.get('docker-content-digest')}`
}
