import {existsSync} from 'node:fs'
import {mkdir, mkdtemp, rename, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {cacheDirectory} from '../../../src/state/directories.ts'

/**
 * Returns the path of promtool: the one on the path, or that of Debian's package, which is unpacked and not
 * installed, because it has a server that would start.
 */
export async function promtool(): Promise<string> {
  const {stdout} = await execa('sh', ['-c', 'command -v promtool'], {reject: false})
  if (stdout !== '') return stdout
  const directory = join(cacheDirectory(process.env), 'promtool')
  const program = join(directory, 'root/usr/bin/promtool')
  if (existsSync(program)) return program
  await mkdir(directory, {recursive: true})
  const unpacking = await mkdtemp(join(directory, 'unpacking-'))
  // From Debian 13 on, promtool is a package of its own.
  const download = '{ apt-get download promtool || apt-get download prometheus; }'
  await execa('sh', ['-c', `${download} || { apt-get update -qq && ${download}; }`], {cwd: unpacking})
  await execa('sh', ['-c', 'for each in *.deb; do dpkg-deb --extract "$each" root; done'], {cwd: unpacking})
  await rename(join(unpacking, 'root'), join(directory, 'root'))
  await rm(unpacking, {recursive: true})
  return program
}
