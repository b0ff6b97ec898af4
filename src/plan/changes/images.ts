import {isMap} from '../../base/values.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'

/**
 * Returns the images of all containers in these objects, by `Deployment/keystone-api/api`. The name of a Job
 * is taken without the hash of its inputs at its end, so that the Job of another revision counts as the same
 * one.
 */
export function imagesOf(objects: readonly KubernetesObject[]): ReadonlyMap<string, string> {
  return new Map(
    objects.flatMap(({kind, metadata, spec}) => {
      const name = kind === 'Job' ? metadata.name.replace(/-[0-9a-f]{8}$/, '') : metadata.name
      return containersIn(spec).map(({name: container, image}) => [`${kind}/${name}/${container}`, image])
    }),
  )
}

/** A change of the image of one container; `from` is undefined for a new container. */
export interface ImageChange {
  readonly container: string
  readonly from: string | undefined
  readonly to: string
}

/**
 * Returns the containers whose image differs, and new ones with an image that the release did not use before.
 */
export function imageChanges(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): readonly ImageChange[] {
  const images = imagesOf(before)
  const earlierImages = new Set(images.values())
  return [...imagesOf(after)].flatMap(([container, to]) => {
    const from = images.get(container)
    const isSame = from === undefined ? earlierImages.has(to) : from === to
    return isSame ? [] : [{container, from, to}]
  })
}

interface Container {
  readonly name: string
  readonly image: string
}

/**
 * Returns the containers of every pod spec in an object: in templates at any depth, or in a custom resource.
 */
function containersIn(node: unknown): readonly Container[] {
  if (Array.isArray(node)) return node.flatMap(containersIn)
  if (!isMap(node)) return []
  return Object.entries(node).flatMap(([key, value]) =>
    (key === 'containers' || key === 'initContainers') && Array.isArray(value)
      ? value.filter(isContainer)
      : containersIn(value),
  )
}

function isContainer(value: unknown): value is Container {
  return isMap(value) && typeof value.name === 'string' && typeof value.image === 'string'
}
