import {join} from 'node:path'
import {execa} from 'execa'
import {cacheDirectory} from '../../../../src/state/directories.ts'
import {exists} from '../../../../src/state/files/exists.ts'
import {withLock} from '../../../../src/state/lock.ts'

const VERSION = '4.32.5'

/** Where the program is: in a virtual environment that is filled from PyPI once per machine and version. */
export async function schemathesis(): Promise<string> {
  const directory = join(cacheDirectory(process.env), `schemathesis-${VERSION}`)
  const ready = join(directory, 'ready')
  await withLock(`${directory}.lock`, async () => {
    if (await exists(ready)) return
    await execa('python3', ['-m', 'venv', '--clear', directory])
    await execa(join(directory, 'bin/pip'), ['install', '--quiet', `schemathesis==${VERSION}`])
    await execa('touch', [ready])
  })
  return join(directory, 'bin/schemathesis')
}
