import {cp, readdir} from 'node:fs/promises'
import {basename} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'

/**
 * Fills `directory` with the folder of images, with the files of `overlay` in the place of those of the same path.
 * Throws `KK_USAGE` for a folder that no image has, which would change nothing.
 */
export async function layImages(images: string, overlay: string, directory: string): Promise<void> {
  const known = await readdir(images)
  // A ConfigMap is mounted as links to the files below `..data`.
  const given = (await readdir(overlay).catch(() => missing(overlay))).filter(
    (name) => !name.startsWith('..'),
  )
  for (const name of given) if (!known.includes(name)) throw unknown(name, overlay, known)
  await cp(images, directory, {recursive: true})
  await cp(overlay, directory, {
    recursive: true,
    dereference: true,
    filter: (path) => path === overlay || !basename(path).startsWith('..'),
  })
}

function missing(overlay: string): never {
  throw new KkError('KK_FILE', `the folder ${overlay} cannot be read`, {
    hint: 'name one that holds folders of images: keystone/Containerfile',
  })
}

function unknown(name: string, overlay: string, known: readonly string[]): KkError {
  const meant = suggest(name, known)
  return new KkError('KK_USAGE', `${overlay} has ${JSON.stringify(name)}, which is no image of kk`, {
    hint: meant ? `did you mean ${meant}?` : 'kk images list names them all',
  })
}
