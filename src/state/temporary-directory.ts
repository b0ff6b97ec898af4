import {rmSync} from 'node:fs'
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

/** A directory under the system's temp folder, mode 0700. */
export interface TemporaryDirectory {
  readonly path: string
  remove(): Promise<void>
}

/** Makes a directory that goes at the latest when the process ends by itself; only SIGKILL leaves it behind. */
export async function temporaryDirectory(prefix: string): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), prefix))
  const atExit = () => rmSync(path, {recursive: true, force: true})
  process.on('exit', atExit)
  return {
    path,
    async remove() {
      process.off('exit', atExit)
      await rm(path, {recursive: true, force: true})
    },
  }
}
