import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {runProgram} from '../building/buildah.ts'
import type {StoredImage} from './unneeded.ts'

/** Returns all images in buildah's storage on this machine. Throws `KK_IMAGE`. */
export async function storedImages(signal: AbortSignal): Promise<readonly StoredImage[]> {
  const listed = await runProgram('buildah', ['images', '--json', '--no-trunc', '--all'], {signal})
  const images = JSON.parse(listed || '[]') as readonly ListedImage[] | null
  // The list has one entry per name of an image.
  return mapParallel([...namesById(images ?? [])], ([id, names]) => storedImage(id, names, signal))
}

/** Returns the ids of the images that containers are based on, which cannot be removed. Throws `KK_IMAGE`. */
export async function usedImages(signal: AbortSignal): Promise<readonly string[]> {
  const listed = await runProgram('buildah', ['containers', '--json', '--notruncate'], {signal})
  const containers = JSON.parse(listed || '[]') as readonly {readonly imageid: string}[] | null
  return (containers ?? []).map(({imageid}) => imageid)
}

interface ListedImage {
  readonly id: string
  readonly names: readonly string[] | null
}

function namesById(images: readonly ListedImage[]): ReadonlyMap<string, readonly string[]> {
  const byId = new Map<string, readonly string[]>()
  for (const {id, names} of images) {
    const earlierNames = byId.get(id) ?? []
    byId.set(id, [...new Set([...earlierNames, ...(names ?? [])])])
  }
  return byId
}

interface Inspected {
  readonly OCIv1: {
    readonly rootfs: {readonly diff_ids: readonly string[] | null}
    readonly config: {readonly Labels?: Readonly<Record<string, string>> | null}
  }
  /** The manifest, as a JSON string. */
  readonly Manifest: string
}

async function storedImage(id: string, names: readonly string[], signal: AbortSignal): Promise<StoredImage> {
  const {OCIv1, Manifest} = JSON.parse(
    await runProgram('buildah', ['inspect', '--type', 'image', id], {signal}),
  ) as Inspected
  const {layers} = JSON.parse(Manifest) as {readonly layers: readonly {readonly size: number}[]}
  return {
    id: id.replace(/^sha256:/, ''),
    names,
    layers: (OCIv1.rootfs.diff_ids ?? []).map((digest, index) => ({digest, bytes: layers[index]?.size ?? 0})),
    labelled: Boolean(OCIv1.config.Labels?.['kk.openstack.org/inputs']),
  }
}

/**
 * Removes an image by id, with its names; does nothing if it no longer exists, because buildah removes
 * unnamed parents along with the last image based on them. Throws `KK_IMAGE`, also if a container uses it.
 */
export async function removeImage(id: string, signal: AbortSignal): Promise<void> {
  await runProgram('buildah', ['rmi', id], {signal}).catch((error: unknown) => {
    if (!isUnknownImage(error)) throw error
  })
}

function isUnknownImage(error: unknown): boolean {
  return error instanceof KkError && error.log?.some((line) => line.includes('image not known')) === true
}
