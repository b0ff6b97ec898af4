import {existsSync} from 'node:fs'
import {mkdir} from 'node:fs/promises'
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
  // From Debian 13 on, promtool is a package of its own.
  await execa('sh', ['-c', 'apt-get download promtool || apt-get download prometheus'], {cwd: directory})
  await execa('sh', ['-c', 'for each in *.deb; do dpkg-deb --extract "$each" root; done'], {cwd: directory})
  return program
}
