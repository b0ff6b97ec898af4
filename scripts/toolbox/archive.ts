import {mkdir, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {exists} from '../../src/state/files/exists.ts'

/** Where a CI keeps the toolbox of this key from one machine to the next: in the directory `KK_TOOLBOX_ARCHIVES`, if that is set. */
export function archiveOf(env: NodeJS.ProcessEnv, key: string): string | undefined {
  return env.KK_TOOLBOX_ARCHIVES ? join(env.KK_TOOLBOX_ARCHIVES, `kk-toolbox-${key}.tar.gz`) : undefined
}

/** Unpacks the archive into the directory, which exists; false when there is no archive. Rejects when it is damaged. */
export async function unpack(archive: string, directory: string): Promise<boolean> {
  if (!(await exists(archive))) return false
  await execa('tar', ['--extract', '--gzip', '--directory', directory, '--file', archive])
  return true
}

/** Packs the directory beside the archive and renames: an archive that is there is complete, whoever else packs it. */
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
