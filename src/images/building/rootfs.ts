import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {Rootfs} from '../image.ts'
import {type ProgramRun, runProgram} from './buildah.ts'

/** dpkg syncs each file to the disk, for a machine that may stop; an image that was not finished is made again. */
const UNSAFE = '--dpkgopt=force-unsafe-io'

/** Returns where the archive of Debian's root file system is, made by mmdebstrap unless it is there. Throws `KK_IMAGE`. */
export async function rootfsArchive(
  rootfs: Rootfs,
  cache: string,
  {refresh, ...run}: ProgramRun & {readonly refresh: boolean},
): Promise<string> {
  const archive = rootfsPath(rootfs, cache)
  if (existsSync(archive) && !refresh) return archive
  await makeDirectory(dirname(archive))
  const unfinished = archive.replace(/tar$/, `${process.pid}.tar`)
  try {
    await runProgram('mmdebstrap', [...argumentsOf(rootfs), unfinished], run)
    await rename(unfinished, archive)
  } finally {
    await rm(unfinished, {force: true})
  }
  return archive
}

/** Returns where the cache keeps a root file system. */
export function rootfsPath(rootfs: Rootfs, cache: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(argumentsOf(rootfs)))
    .digest('hex')
  return join(cache, 'rootfs', `${digest.slice(0, 16)}.tar`)
}

function argumentsOf({suite, include}: Rootfs): readonly string[] {
  return ['--variant=minbase', UNSAFE, `--include=${include.join(',')}`, suite]
}
