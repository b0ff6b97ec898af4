import {readdir, rm, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {expectTools} from '../../images/building/buildah.ts'
import {rootfsPath} from '../../images/building/rootfs.ts'
import {type Image, localReference} from '../../images/image.ts'
import {readImages} from '../../images/inventory/read-images.ts'
import {readRecord} from '../../images/inventory/record.ts'
import {removeImage, storedImages, usedImages} from '../../images/pruning/stored-images.ts'
import {type UnneededImage, unneededImages} from '../../images/pruning/unneeded.ts'
import {acquireLock, type Lock} from '../../state/lock.ts'
import {imageLock, imagesCache} from './images.ts'

export interface PruneOptions {
  /** The directory that holds the folder `images/`. */
  readonly root: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** Images and files that builds no longer need. */
export interface Unneeded {
  readonly images: readonly UnneededImage[]
  /** Root file systems, records, lists and logs in kk's cache. */
  readonly files: readonly {readonly path: string; readonly bytes: number}[]
}

/** Returns what `prune` would remove. Throws `KK_IMAGE_TOOLS` and `KK_IMAGE`. */
export async function planPrune({root, env, signal}: PruneOptions): Promise<Unneeded> {
  expectTools(env)
  const cache = imagesCache(env)
  const inventory = await readImages(join(root, 'images'))
  const records = await Promise.all(inventory.map(({name}) => readRecord(cache, name)))
  const images = unneededImages(await storedImages(signal), {
    references: new Set(inventory.map(localReference)),
    ids: new Set([
      ...records.flatMap((record) => (record ? [record.id] : [])),
      ...(await usedImages(signal)),
    ]),
  })
  return {images, files: await unneededFiles(cache, inventory)}
}

/**
 * Removes what no build needs while no build runs; calls `onRemoved` for each. Throws `KK_IMAGE_TOOLS`,
 * `KK_IMAGE`.
 */
export async function prune(
  options: PruneOptions & {readonly onRemoved: (what: string) => void},
): Promise<Unneeded> {
  const {root, env, signal, onRemoved} = options
  const locks: Lock[] = []
  try {
    for (const {name} of await readImages(join(root, 'images')))
      locks.push(await acquireLock(imageLock(imagesCache(env), name), {signal}))
    const unneeded = await planPrune(options)
    for (const {id, names} of unneeded.images) {
      await removeImage(id, signal)
      onRemoved(names[0] ?? id)
    }
    for (const {path} of unneeded.files) {
      await rm(path)
      onRemoved(path)
    }
    return unneeded
  } finally {
    for (const lock of locks) await lock.release()
  }
}

/** Returns files of images that are not in the inventory, and root file systems that no image is based on. */
async function unneededFiles(cache: string, images: readonly Image[]): Promise<Unneeded['files']> {
  const names = new Set(images.map(({name}) => name))
  const archives = new Set(images.flatMap(({rootfs}) => (rootfs ? [rootfsPath(rootfs, cache)] : [])))
  const paths = [
    ...(await filesIn(cache)).filter((path) => !names.has(imageName(path))),
    ...(await filesIn(join(cache, 'logs'))).filter((path) => !names.has(imageName(path))),
    ...(await filesIn(join(cache, 'rootfs'))).filter((path) => !archives.has(path)),
  ]
  return Promise.all(paths.map(async (path) => ({path, bytes: (await stat(path)).size})))
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, {withFileTypes: true}).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map(({name}) => join(directory, name))
    .sort()
}

/** Returns the name of the image of a record, a package list or a log. */
function imageName(path: string): string {
  return path.replace(/^.*\//, '').replace(/(\.spdx)?\.json$|\.log$/, '')
}
