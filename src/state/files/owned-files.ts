import {randomUUID} from 'node:crypto'
import {chmodSync, writeFileSync} from 'node:fs'
import {mkdir, readdir, readFile, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {makeDirectory} from './make-directory.ts'

/** A file that kk writes into a directory that it owns. */
export interface OwnedFile {
  readonly content: string | Buffer
  /** The permission bits, regardless of the umask. */
  readonly mode: number
}

/** Files by path in the directory, with slashes. */
export type OwnedFiles = ReadonlyMap<string, OwnedFile>

interface OwnedOptions {
  /** The name of the file that lists all others. kk owns only the files that it lists. */
  readonly marker: string
  /** Whether files of earlier writes that are not among these are kept. */
  readonly partial: boolean
}

/**
 * Writes files into a directory that contains nothing else, and creates it if missing. All files are complete
 * before the first one is moved to its path. Files of earlier writes that are not in `files` are deleted
 * unless `partial` is set. Rejects with `KK_DIRECTORY_IN_USE` if the directory contains files that kk did not
 * write, with `KK_FILE` if it cannot be created, and with Node's own errors.
 */
export async function writeOwnedFiles(
  directory: string,
  files: OwnedFiles,
  {marker, partial}: OwnedOptions,
): Promise<void> {
  await makeDirectory(directory, {mode: 0o700})
  const earlier = await earlierFiles(directory, marker)
  const obsolete = earlier.filter((path) => !files.has(path))
  const stage = join(directory, `${marker}-${randomUUID()}`)
  await mkdir(stage, {mode: 0o700})
  try {
    await makeFolders(stage, files)
    for (const [path, file] of files) writeFile(join(stage, path), file)
    await writeMarker({directory, stage, marker}, [...files.keys(), ...obsolete])
    await makeFolders(directory, files)
    for (const path of files.keys()) await rename(join(stage, path), join(directory, path))
    if (!partial && obsolete.length > 0) {
      for (const path of obsolete) await rm(join(directory, path), {force: true})
      await writeMarker({directory, stage, marker}, [...files.keys()])
    }
  } finally {
    await rm(stage, {recursive: true, force: true})
  }
}

/** Writes the files of `--output-dir` as `writeOwnedFiles`, and rejects with `KK_FILE` if that fails. */
export async function writeOutputFiles(
  directory: string,
  files: OwnedFiles,
  options: OwnedOptions,
): Promise<void> {
  await writeOwnedFiles(directory, files, options).catch((cause: unknown) => {
    if (cause instanceof KkError) throw cause
    throw new KkError('KK_FILE', `${directory} cannot be written: ${(cause as Error).message}`, {
      cause,
      hint: 'choose another --output-dir',
    })
  })
}

/**
 * Returns the files of earlier writes, and removes the leftovers of a killed one. Rejects with
 * `KK_DIRECTORY_IN_USE` if there are other files.
 */
async function earlierFiles(directory: string, marker: string): Promise<string[]> {
  const entries = await readdir(directory)
  const named = entries.includes(marker) ? await readFile(join(directory, marker), 'utf8') : ''
  // The marker is untrusted if another user supplied the directory: it could contain paths that lead out of
  // it.
  const earlier = named.split('\n').filter((path) => path !== '' && !path.split('/').includes('..'))
  const leftovers = entries.filter((name) => name.startsWith(`${marker}-`))
  const own = new Set([marker, ...leftovers, ...earlier.map((path) => path.split('/', 1)[0])])
  const foreign = entries.filter((name) => !own.has(name))
  if (foreign.length > 0) throw inUse(directory, foreign)
  for (const name of leftovers) await rm(join(directory, name), {recursive: true, force: true})
  return earlier
}

/** Returns the error for a directory that contains files that kk does not own. */
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

/** Writes synchronously, which is much faster for many small files. */
function writeFile(path: string, {content, mode}: OwnedFile): void {
  writeFileSync(path, content, {mode})
  chmodSync(path, mode)
}
