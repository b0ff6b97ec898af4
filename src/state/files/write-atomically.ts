import {randomUUID} from 'node:crypto'
import {open, rename, rm} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {makeDirectory} from './make-directory.ts'

interface WriteOptions {
  /** The permission bits of the file; defaults to 0644. */
  readonly mode?: number
}

/**
 * Writes a file atomically: a reader, and the disk after a crash, has either the old or the new content.
 * Creates missing parent directories. Rejects with Node's own error, and with `KK_FILE` if a directory cannot
 * be created.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  {mode = 0o644}: WriteOptions = {},
): Promise<void> {
  const directory = dirname(path)
  await makeDirectory(directory)
  const temporary = join(directory, `.${basename(path)}.${randomUUID()}`)
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      // The umask reduces the mode passed to open.
      await file.chmod(mode)
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, {force: true})
    throw error
  }
  await syncDirectory(directory)
}

/** Flushes a directory to disk. Otherwise a crash of the machine can lose the rename. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
