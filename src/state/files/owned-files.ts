import {randomUUID} from 'node:crypto'
import {chmodSync, writeFileSync} from 'node:fs'
import {mkdir, readdir, readFile, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {makeDirectory} from './make-directory.ts'

/** A file that kk writes into a directory of its own. */
export interface OwnedFile {
  readonly content: string | Buffer
  /** The permission bits, whatever the umask. */
  readonly mode: number
}

/** Files by their paths in the directory, with slashes. */
export type OwnedFiles = ReadonlyMap<string, OwnedFile>

interface OwnedOptions {
  /** The name of the file that names all others: what it does not name is not kk's. */
  readonly marker: string
  /** Whether files of earlier writes stay that are not among these. */
  readonly partial: boolean
}

/**
 * Writes files into a directory that holds nothing else, and makes it if it is missing. All files are complete before the
 * first one takes its place; those of earlier writes that are left out go, unless `partial`. Rejects with
 * `KK_DIRECTORY_IN_USE` if the directory holds files that kk did not write, `KK_FILE` if it cannot be made, and with the
 * errors of Node.
 */
export async function writeOwnedFiles(
  directory: string,
  files: OwnedFiles,
  {marker, partial}: OwnedOptions,
): Promise<void> {
  await makeDirectory(directory, {mode: 0o700})
  const earlier = await earlierFiles(directory, marker)
  const others = earlier.filter((path) => !files.has(path))
  const stage = join(directory, `${marker}-${randomUUID()}`)
  await mkdir(stage, {mode: 0o700})
  try {
    await makeFolders(stage, files)
    for (const [path, file] of files) writeFile(join(stage, path), file)
    await writeMarker({directory, stage, marker}, [...files.keys(), ...others])
    await makeFolders(directory, files)
    for (const path of files.keys()) await rename(join(stage, path), join(directory, path))
    if (!partial && others.length > 0) {
      for (const path of others) await rm(join(directory, path), {force: true})
      await writeMarker({directory, stage, marker}, [...files.keys()])
    }
  } finally {
    await rm(stage, {recursive: true, force: true})
  }
}

/**
 * Returns the files of earlier writes and removes what a killed one left behind. Rejects with `KK_DIRECTORY_IN_USE` if
 * there are other files.
 */
async function earlierFiles(directory: string, marker: string): Promise<string[]> {
  const entries = await readdir(directory)
  const named = entries.includes(marker) ? await readFile(join(directory, marker), 'utf8') : ''
  // Whoever sent the directory may have written into it what leads out.
  const earlier = named.split('\n').filter((path) => path !== '' && !path.split('/').includes('..'))
  const left = entries.filter((name) => name.startsWith(`${marker}-`))
  const own = new Set([marker, ...left, ...earlier.map((path) => path.split('/', 1)[0])])
  const foreign = entries.filter((name) => !own.has(name))
  if (foreign.length > 0) throw inUse(directory, foreign)
  for (const name of left) await rm(join(directory, name), {recursive: true, force: true})
  return earlier
}

/** Returns the error of a directory that holds files of others. */
export function inUse(directory: string, foreign: readonly string[]): KkError {
  const more = foreign.length > 3 ? ` and ${foreign.length - 3} more` : ''
  const message = `${directory} holds files that kk did not write: ${foreign.slice(0, 3).join(', ')}${more}`
  return new KkError('KK_DIRECTORY_IN_USE', message, {hint: 'choose an empty or a new directory'})
}

interface Marking {
  readonly directory: string
  readonly stage: string
  readonly marker: string
}

async function writeMarker({directory, stage, marker}: Marking, paths: readonly string[]): Promise<void> {
  const staged = join(stage, marker)
  writeFile(staged, {content: paths.map((path) => `${path}\n`).join(''), mode: 0o600})
  await rename(staged, join(directory, marker))
}

async function makeFolders(directory: string, files: OwnedFiles): Promise<void> {
  const folders = new Set([...files.keys()].map((path) => dirname(join(directory, path))))
  for (const folder of folders) await makeDirectory(folder)
}

/** Writes synchronously, which takes a fraction of the time for many small files. */
function writeFile(path: string, {content, mode}: OwnedFile): void {
  writeFileSync(path, content, {mode})
  chmodSync(path, mode)
}
