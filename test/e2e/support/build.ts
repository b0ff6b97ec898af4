import {readdir, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {withLock} from '../../../src/state/lock.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SOURCES = ['bin', 'src', 'charts', 'environments', 'images', 'scripts', 'package-lock.json']

/** Builds `dist/kk` unless it is newer than all that goes into it; returns its path. */
export async function buildWhenOld(say: (line: string) => void): Promise<string> {
  const executable = join(ROOT, 'dist/kk')
  await withLock(join(ROOT, 'dist/build.lock'), async () => {
    const changes = await Promise.all(SOURCES.map((source) => lastChange(join(ROOT, source))))
    if ((await lastChange(executable)) > Math.max(...changes)) return
    say('building dist/kk')
    await execa('node', ['scripts/build.ts'], {cwd: ROOT, preferLocal: true})
  })
  return executable
}

/** Milliseconds since the epoch of the newest file at or below the path; 0 where there is none. */
async function lastChange(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return 0
  if (!found.isDirectory()) return found.mtimeMs
  const names = await readdir(path)
  return Math.max(0, ...(await Promise.all(names.map((name) => lastChange(join(path, name))))))
}
