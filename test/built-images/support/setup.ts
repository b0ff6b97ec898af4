import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'
import {ensureSystemPackages} from '../../../scripts/system-packages.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Builds what has changed since; the image of kk carries the executable. */
export async function setup(): Promise<void> {
  await ensureSystemPackages((line) => void process.stderr.write(`${line}\n`), 'aio')
  if (!existsSync(join(ROOT, 'dist/kk')))
    await execa(process.execPath, [join(ROOT, 'scripts/build.ts')], {cwd: ROOT, stdio: 'inherit'})
  await execa(process.execPath, [join(ROOT, 'bin/kk.ts'), 'images', 'build'], {cwd: ROOT, stdio: 'inherit'})
}
