import {createHash} from 'node:crypto'
import {existsSync, mkdirSync, readFileSync, renameSync} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'
import type {Architecture} from './release.ts'

interface Lock {
  readonly packages: Readonly<Record<string, {readonly version: string; readonly integrity: string}>>
}

/**
 * Returns the path of the Node that package-lock.json has for an architecture. npm installs only that of its
 * own; the other is downloaded from the same registry into `cache`, and verified against the lock file.
 */
export async function nodeFor(
  arch: Architecture,
  {root, cache}: {root: string; cache: string},
): Promise<string> {
  const name = `node-linux-${arch}`
  const installed = join(root, 'node_modules', name, 'bin/node')
  if (existsSync(installed)) return installed
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const {version, integrity} = lock.packages[`node_modules/${name}`]!
  const unpacked = join(cache, `${name}-${version}`)
  const node = join(unpacked, 'package/bin/node')
  if (existsSync(node)) return node
  const partly = `${unpacked}.${process.pid}`
  mkdirSync(partly, {recursive: true})
  await execa('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', partly], {cwd: root})
  const archive = join(partly, `${name}-${version}.tgz`)
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== integrity) throw new Error(`${name}@${version}: expected ${integrity}, got ${found}`)
  await execa('tar', ['-xzf', archive, '-C', partly])
  renameSync(partly, unpacked)
  return node
}
