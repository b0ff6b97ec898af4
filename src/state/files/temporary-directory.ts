import {rmSync} from 'node:fs'
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {removeLeftovers, thisOwner} from './remove-leftovers.ts'
import {withWritableDirectory} from './writing-below.ts'

/** A directory under the system's temp folder, mode 0700. */
export interface TemporaryDirectory {
  readonly path: string
  /**
   * Runs `body`, which writes into the directory. Rejects with `KK_FILE` if the directory is not writable.
   */
  fill<T>(body: () => Promise<T>): Promise<T>
  remove(): Promise<void>
}

/**
 * Creates a directory that is removed at the latest when the process exits. After SIGKILL, the next call
 * removes it. `prefix` is `kk-<word>-`. Rejects with `KK_FILE`.
 */
export async function temporaryDirectory(prefix: `kk-${string}-`): Promise<TemporaryDirectory> {
  const parent = tmpdir()
  const owner = await thisOwner()
  if (owner !== undefined) await removeLeftovers(parent, owner)
  const path = await withWritableDirectory({directory: parent, variable: 'TMPDIR'}, () =>
    mkdtemp(join(parent, `${prefix}${owner?.mark ?? ''}`)),
  )
  const atExit = () => rmSync(path, {recursive: true, force: true})
  process.on('exit', atExit)
  return {
    path,
    fill: (body) => withWritableDirectory({directory: path, variable: 'TMPDIR'}, body),
    async remove() {
      process.off('exit', atExit)
      await rm(path, {recursive: true, force: true})
    },
  }
}
