import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {rename, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {Rootfs} from '../image.ts'
import {type ProgramRun, runProgram} from './buildah.ts'

/** The archive of Debian's root file system, made by mmdebstrap unless the cache has it. Throws `KK_IMAGE`. */
export async function rootfsArchive(
  {suite, include}: Rootfs,
  cache: string,
  {refresh, ...run}: ProgramRun & {readonly refresh: boolean},
): Promise<string> {
  const args = ['--variant=minbase', `--include=${include.join(',')}`, suite]
  const digest = createHash('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 16)
  const archive = join(cache, 'rootfs', `${digest}.tar`)
  if (existsSync(archive) && !refresh) return archive
  await makeDirectory(join(cache, 'rootfs'))
  const unfinished = join(cache, 'rootfs', `${digest}.${process.pid}.tar`)
  try {
    await runProgram('mmdebstrap', [...args, unfinished], run)
    await rename(unfinished, archive)
  } finally {
    await rm(unfinished, {force: true})
  }
  return archive
}
