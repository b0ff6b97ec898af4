import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {makeDirectory} from '../../state/files/make-directory.ts'
import type {Rootfs} from '../image.ts'
import {type ProgramRun, runProgram} from './buildah.ts'

/** Disables dpkg's fsync of each file: an image whose build was interrupted is built again. */
const UNSAFE = '--dpkgopt=force-unsafe-io'

/**
 * Returns the path of the Debian root file system archive, which mmdebstrap creates if missing. Throws
 * `KK_IMAGE`.
 */
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
    await runProgram('mmdebstrap', [...mmdebstrapArguments(rootfs), unfinished], run)
    await rename(unfinished, archive)
  } finally {
    await rm(unfinished, {force: true})
  }
  return archive
}

/** Returns the path of a root file system in the cache. */
export function rootfsPath(rootfs: Rootfs, cache: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(mmdebstrapArguments(rootfs)))
    .digest('hex')
  return join(cache, 'rootfs', `${digest.slice(0, 16)}.tar`)
}

function mmdebstrapArguments({suite, include}: Rootfs): readonly string[] {
  return ['--variant=minbase', UNSAFE, `--include=${include.join(',')}`, suite]
}
