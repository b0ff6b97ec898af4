import {randomUUID} from 'node:crypto'
import {chmodSync, writeFileSync} from 'node:fs'
import {mkdir, mkdtemp, readdir, readFile, rename, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {dirname, join, resolve} from 'node:path'
import type {EnvironmentSource} from '../environment/read.ts'
import {splitEnvironment} from '../environment/split.ts'
import {suggest} from '../environment/suggest.ts'
import {KkError} from '../errors.ts'

export interface SplitOptions {
  /** The sections whose files are written; all if empty. */
  readonly releases: readonly string[]
}

/**
 * Returns the values file of each section by its name. Throws `KK_UNKNOWN_RELEASE` and the errors of reading the
 * environment.
 */
export function splitFiles(source: EnvironmentSource, {releases}: SplitOptions): ReadonlyMap<string, string> {
  const {files} = splitEnvironment(source)
  if (releases.length === 0) return files
  for (const release of releases)
    if (!files.has(release)) throw unknownRelease(source.file, release, files.keys())
  return new Map([...files].filter(([name]) => releases.includes(name)))
}

function unknownRelease(file: string, release: string, known: Iterable<string>): KkError {
  const names = [...known]
  const close = suggest(release, names)
  const hint = close === undefined ? `its sections: ${names.join(', ') || 'none'}` : `did you mean ${close}?`
  return new KkError('KK_UNKNOWN_RELEASE', `${file} has no section "${release}"`, {hint})
}

export interface WrittenSplit {
  readonly directory: string
  /** Paths of the files that were written, in the order of the sections. */
  readonly paths: readonly string[]
}

/** The file that names the files of earlier splits, one per line: any other file in the directory is not kk's. */
const MARKER = '.kk-split'

/**
 * Writes values files into a directory, by default a fresh `helmXXXXXX` under the temp folder that only the user can
 * read. All files are complete before the first one takes its place. A full split removes files of earlier splits that
 * it does not have. Rejects with `KK_DIRECTORY_IN_USE` if the directory holds files that no split wrote, `KK_FILE` if
 * it cannot be written.
 */
export async function writeSplit(
  files: ReadonlyMap<string, string>,
  {directory, partial}: {directory: string | undefined; partial: boolean},
): Promise<WrittenSplit> {
  try {
    if (directory === undefined) return await writeFresh(files)
    return await writeInto(directory, files, partial)
  } catch (error) {
    if (error instanceof KkError) throw error
    const {message} = error as Error
    throw new KkError('KK_FILE', `the values files cannot be written: ${message}`, {
      hint: 'choose another -o',
      cause: error,
    })
  }
}

async function writeFresh(files: ReadonlyMap<string, string>): Promise<WrittenSplit> {
  const directory = await mkdtemp(join(tmpdir(), 'helm'))
  try {
    writeAll(directory, files)
  } catch (error) {
    await rm(directory, {recursive: true, force: true})
    throw error
  }
  return {directory, paths: pathsIn(directory, files)}
}

async function writeInto(
  directory: string,
  files: ReadonlyMap<string, string>,
  partial: boolean,
): Promise<WrittenSplit> {
  const made = await makeDirectory(directory)
  const earlier = made ? [] : await earlierFiles(directory)
  const names = [...files.keys()].map((name) => `${name}.yaml`)
  const stale = partial ? [] : earlier.filter((name) => !names.includes(name))
  const stage = join(directory, `${MARKER}-${randomUUID()}`)
  await mkdir(stage, {mode: 0o700})
  try {
    writeAll(stage, files)
    const kept = earlier.filter((name) => !names.includes(name))
    await writeMarker(directory, stage, [...names, ...kept])
    for (const name of names) await rename(join(stage, name), join(directory, name))
    for (const name of stale) await rm(join(directory, name), {force: true})
    if (stale.length > 0) await writeMarker(directory, stage, names)
  } finally {
    await rm(stage, {recursive: true, force: true})
  }
  return {directory, paths: pathsIn(directory, files)}
}

/**
 * Makes a directory with its parents and returns whether it was made. It goes step by step, because Node's recursive
 * mkdir retries for ever on a file system that lets nothing be made (/proc).
 */
async function makeDirectory(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, {mode: 0o700})
    return true
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    const parent = dirname(resolve(directory))
    if (code !== 'ENOENT' || !(await makeDirectory(parent))) throw error
    return makeDirectory(directory)
  }
}

/**
 * Returns the files of earlier splits and removes what a killed split left behind. Rejects with `KK_DIRECTORY_IN_USE`
 * if there are other files.
 */
async function earlierFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory)
  const marker = entries.includes(MARKER) ? await readFile(join(directory, MARKER), 'utf8') : ''
  const earlier = marker.split('\n').filter((name) => name !== '')
  const left = entries.filter((name) => name.startsWith(`${MARKER}-`))
  const foreign = entries.filter((name) => name !== MARKER && !left.includes(name) && !earlier.includes(name))
  if (foreign.length > 0) throw inUse(directory, foreign)
  for (const name of left) await rm(join(directory, name), {recursive: true, force: true})
  return earlier.filter((name) => entries.includes(name))
}

function inUse(directory: string, foreign: readonly string[]): KkError {
  const more = foreign.length > 3 ? ` and ${foreign.length - 3} more` : ''
  const message = `${directory} holds files that kk did not write: ${foreign.slice(0, 3).join(', ')}${more}`
  return new KkError('KK_DIRECTORY_IN_USE', message, {hint: 'choose an empty or a new directory'})
}

async function writeMarker(directory: string, stage: string, names: readonly string[]): Promise<void> {
  const staged = join(stage, MARKER)
  writePrivate(staged, names.map((name) => `${name}\n`).join(''))
  await rename(staged, join(directory, MARKER))
}

/** Writes the files synchronously, which takes a fraction of the time for many small files. */
function writeAll(directory: string, files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files) writePrivate(join(directory, `${name}.yaml`), text)
}

/** Writes a file that only the user can read, whatever the umask, for values hold passwords. */
function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, {mode: 0o600})
  chmodSync(path, 0o600)
}

function pathsIn(directory: string, files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()].map((name) => join(directory, `${name}.yaml`))
}
