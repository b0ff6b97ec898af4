import {cp, readdir} from 'node:fs/promises'
import {basename} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'

/**
 * Fills `directory` with the folder of images, and replaces files by those with the same path in `overlay`.
 * Throws `KK_USAGE` for an overlay folder that belongs to no image, which would have no effect.
 */
export async function layImages(images: string, overlay: string, directory: string): Promise<void> {
  const imageFolders = await readdir(images)
  // A ConfigMap is mounted as symbolic links to files below `..data`.
  const overlayFolders = (await readdir(overlay).catch(() => missing(overlay))).filter(
    (name) => !name.startsWith('..'),
  )
  for (const name of overlayFolders)
    if (!imageFolders.includes(name)) throw unknown(name, overlay, imageFolders)
  await cp(images, directory, {recursive: true})
  await cp(overlay, directory, {
    recursive: true,
    dereference: true,
    filter: (path) => path === overlay || !basename(path).startsWith('..'),
  })
}

function missing(overlay: string): never {
  throw new KkError('KK_FILE', `the folder ${overlay} cannot be read`, {
    hint: 'specify one with folders of images: keystone/Containerfile',
  })
}

function unknown(name: string, overlay: string, imageFolders: readonly string[]): KkError {
  const suggestion = suggest(name, imageFolders)
  return new KkError('KK_USAGE', `${overlay} has ${JSON.stringify(name)}, which is not an image of kk`, {
    hint: suggestion ? `did you mean ${suggestion}?` : 'kk images list prints all',
  })
}
