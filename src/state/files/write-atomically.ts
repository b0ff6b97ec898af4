import {randomUUID} from 'node:crypto'
import {open, rename, rm} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {makeDirectory} from './make-directory.ts'

interface WriteOptions {
  /** The permission bits of the file; by default 0644. */
  readonly mode?: number
}

/**
 * Writes a file so that a reader, and the disk after a crash, has either the old content or the new one. Missing parent
 * directories are made. Rejects with Node's own error, and with `KK_FILE` when a directory cannot be made.
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
      // The umask reduces the mode that is given to open.
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

/** Flushes a directory to disk. Without this the rename itself may be lost when the machine stops. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
