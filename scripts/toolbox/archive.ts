import {mkdir, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {exists} from '../../src/state/files/exists.ts'

/**
 * The archive of this key that a CI keeps between machines: in the directory `KK_TOOLBOX_ARCHIVES`, if that
 * is set.
 */
export function archiveOf(env: NodeJS.ProcessEnv, key: string): string | undefined {
  return env.KK_TOOLBOX_ARCHIVES ? join(env.KK_TOOLBOX_ARCHIVES, `kk-toolbox-${key}.tar.gz`) : undefined
}

/**
 * Unpacks the archive into the directory, which exists; false if there is no archive. Rejects if it is
 * damaged.
 */
export async function unpack(archive: string, directory: string): Promise<boolean> {
  if (!(await exists(archive))) return false
  await execa('tar', ['--extract', '--gzip', '--directory', directory, '--file', archive])
  return true
}

/**
 * Packs the directory into a temporary file and renames, so that an existing archive is complete even with
 * concurrent writers.
 */
export async function pack(directory: string, archive: string): Promise<void> {
  await mkdir(dirname(archive), {recursive: true})
  const unfinished = `${archive}.${process.pid}`
  try {
    await execa('tar', ['--create', '--gzip', '--directory', directory, '--file', unfinished, '.'])
    await rename(unfinished, archive)
  } finally {
    await rm(unfinished, {force: true})
  }
}
