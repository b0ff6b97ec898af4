import {readdir} from 'node:fs/promises'
import {join, relative} from 'node:path'
import {KkError} from '../../base/errors.ts'

/** Returns the relative paths of all files below a directory, sorted. Rejects with `KK_FILE`. */
export async function directoryFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, {recursive: true, withFileTypes: true}).catch(
    (cause: NodeJS.ErrnoException) => {
      throw new KkError('KK_FILE', `the directory ${directory} cannot be read (${cause.code})`, {
        cause,
        hint: 'check the path and its permissions',
      })
    },
  )
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .sort()
}
