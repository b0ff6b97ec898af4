import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {runProgram} from '../building/buildah.ts'
import type {StoredImage} from './unneeded.ts'

/** Returns all images that buildah has on this machine. Throws `KK_IMAGE`. */
export async function storedImages(signal: AbortSignal): Promise<readonly StoredImage[]> {
  const listed = await runProgram('buildah', ['images', '--json', '--no-trunc', '--all'], {signal})
  const images = JSON.parse(listed || '[]') as readonly Listed[] | null
  // The list has an image once for each of its names.
  return mapParallel([...namesById(images ?? [])], ([id, names]) => storedImage(id, names, signal))
}

/** Returns the ids of the images that containers stand on, which cannot be removed. Throws `KK_IMAGE`. */
export async function usedImages(signal: AbortSignal): Promise<readonly string[]> {
  const listed = await runProgram('buildah', ['containers', '--json', '--notruncate'], {signal})
  const containers = JSON.parse(listed || '[]') as readonly {readonly imageid: string}[] | null
  return (containers ?? []).map(({imageid}) => imageid)
}

interface Listed {
  readonly id: string
  readonly names: readonly string[] | null
}

function namesById(images: readonly Listed[]): ReadonlyMap<string, readonly string[]> {
  const byId = new Map<string, readonly string[]>()
  for (const {id, names} of images) {
    const known = byId.get(id) ?? []
    byId.set(id, [...new Set([...known, ...(names ?? [])])])
  }
  return byId
}

interface Inspected {
  readonly OCIv1: {
    readonly rootfs: {readonly diff_ids: readonly string[] | null}
    readonly config: {readonly Labels?: Readonly<Record<string, string>> | null}
  }
  /** The manifest, as text. */
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
 * Removes an image by its id, with its names; it may be gone already: with one, buildah removes those below it that have no
 * name and that no other stands on. Throws `KK_IMAGE`, also when a container uses it.
 */
export async function removeImage(id: string, signal: AbortSignal): Promise<void> {
  await runProgram('buildah', ['rmi', id], {signal}).catch((error: unknown) => {
    if (!isOfGoneImage(error)) throw error
  })
}

function isOfGoneImage(error: unknown): boolean {
  return error instanceof KkError && error.log?.some((line) => line.includes('image not known')) === true
}
