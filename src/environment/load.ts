import {readdir} from 'node:fs/promises'
import {basename, dirname, join, resolve} from 'node:path'
import type {Readable} from 'node:stream'
import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {readFileToEnd, readStandardInput} from '../state/files/named-file.ts'
import {utf8Text} from '../state/files/utf8-text.ts'
import type {Environment} from './environment.ts'
import {type EnvironmentSource, readEnvironment} from './read.ts'

interface LoadOptions {
  /** The file name as the user typed it; `-` for standard input. */
  readonly file: string
  /** The base directory of relative names; defaults to that of the process. */
  readonly cwd?: string
  /** The stream that `-` reads; defaults to standard input. */
  readonly stdin?: Readable
  /** How messages call the file, and the hint for specifying one. */
  readonly words?: FileWords
}

interface FileWords {
  readonly what: string
  readonly hint: string
}

const ENVIRONMENT: FileWords = {
  what: 'environment file',
  hint: 'name an environment file: an argument that ends in .yaml, -e FILE, or KK_ENVIRONMENT',
}

/** Reads the environment file. Rejects with `KK_FILE`, and with the errors of `readEnvironment`. */
export async function loadEnvironment(options: LoadOptions): Promise<Environment> {
  return readEnvironment(await loadSource(options))
}

/**
 * Returns the content of an environment file, or of the kind of file that `words` describes. Rejects with
 * `KK_FILE`.
 */
export async function loadSource({
  file,
  cwd = process.cwd(),
  stdin,
  words = ENVIRONMENT,
}: LoadOptions): Promise<EnvironmentSource> {
  if (file === '-') return {file, text: await readStandardInput(`the ${words.what}`, stdin), directory: cwd}
  const path = resolve(cwd, file)
  const bytes = await readFileToEnd(path, file).catch(async (error: NodeJS.ErrnoException) => {
    if (error instanceof KkError) throw error
    const close = error.code === 'ENOENT' ? await closeName(path) : undefined
    const hint = close === undefined ? words.hint : `did you mean ${join(dirname(file), close)}?`
    throw unreadable(file, {...words, hint}, error)
  })
  return {file, text: utf8Text(bytes, file), directory: dirname(path)}
}

/** Returns the YAML file with the most similar name in the directory of a missing one. */
async function closeName(path: string): Promise<string | undefined> {
  const names = await readdir(dirname(path)).catch(() => [])
  return suggest(
    basename(path),
    names.filter((name) => /\.ya?ml$/.test(name)),
  )
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
}

function unreadable(file: string, {what, hint}: FileWords, cause: NodeJS.ErrnoException): KkError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message
  return new KkError('KK_FILE', `the ${what} ${file} cannot be read: ${reason}`, {hint, cause})
}
