import {readdir} from 'node:fs/promises'
import {basename, dirname, isAbsolute, join, resolve} from 'node:path'
import type {Readable} from 'node:stream'
import {asKkError, KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {readFileToEnd, readStandardInput} from '../state/files/named-file.ts'
import {utf8Text} from '../state/files/utf8-text.ts'
import type {Environment} from './environment.ts'
import {mergeDocument} from './merge-document.ts'
import {
  buildEnvironment,
  type EnvironmentDocument,
  type EnvironmentPart,
  type EnvironmentSource,
  type FileReference,
  fileReferences,
  readDocument,
  readSectionFile,
  referencePlace,
} from './read.ts'

interface LoadOptions {
  /** The file name as the user typed it; `-` for standard input. */
  readonly file: string
  /** The base directory of relative names; defaults to that of the process. */
  readonly cwd?: string
  /** The stream that `-` reads; defaults to standard input. */
  readonly stdin?: Readable
  /** See `EnvironmentSource`. */
  readonly onDuplicate?: EnvironmentSource['onDuplicate']
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

/** Reads the environment file and those that it names. Rejects as `loadDocument`. */
export async function loadEnvironment(options: LoadOptions): Promise<Environment> {
  return buildEnvironment(await loadDocument(options))
}

/**
 * Returns the environment in a file, merged with the files that it names, as one self-contained document;
 * positions refer to the original files. Rejects with `KK_FILE`, with `KK_ENVIRONMENT` for files that include
 * each other, and with the errors of `readDocument`.
 */
export async function loadDocument(options: LoadOptions): Promise<EnvironmentDocument> {
  const {file, cwd = process.cwd()} = options
  const own = readDocument(await loadSource(options))
  const parts = await referencedParts(own, {cwd, chain: [file], included: new Set()})
  return parts.length === 0 ? own : mergeDocument(own, parts)
}

interface Inclusion {
  readonly cwd: string
  /** The chain of includes from the user's file to this document: each file includes the next one. */
  readonly chain: readonly string[]
  /** The paths of all files that were included so far: a file that several include counts once. */
  readonly included: Set<string>
}

/** Returns what a document is merged over, from the weakest to the strongest. */
async function referencedParts(
  document: EnvironmentDocument,
  inclusion: Inclusion,
): Promise<EnvironmentPart[]> {
  const {cwd, chain, included} = inclusion
  const parts: EnvironmentPart[] = []
  for (const reference of fileReferences(document)) {
    const file = isAbsolute(reference.name)
      ? reference.name
      : join(dirname(document.source.file), reference.name)
    if (reference.release !== undefined) {
      parts.push(readSectionFile(await loadReferenced(document, reference, {cwd, file}), reference.release))
      continue
    }
    const path = resolve(cwd, file)
    if (chain.some((each) => resolve(cwd, each) === path)) throw cycle(document, reference, [...chain, file])
    if (included.has(path)) continue
    included.add(path)
    const inner = readDocument(await loadReferenced(document, reference, {cwd, file}))
    parts.push(...(await referencedParts(inner, {...inclusion, chain: [...chain, file]})), inner)
  }
  return parts
}

/** Returns the content of a file that a document names. */
async function loadReferenced(
  document: EnvironmentDocument,
  reference: FileReference,
  {cwd, file}: {readonly cwd: string; readonly file: string},
): Promise<EnvironmentSource> {
  const {onDuplicate} = document.source
  const what = reference.release === undefined ? 'included file' : 'values file'
  const words = {what, hint: `its name is relative to ${document.source.file}`}
  return loadSource({file, cwd, words, onDuplicate}).catch((error: unknown) => {
    const {code, message, hint} = asKkError(error)
    throw new KkError(code, `${referencePlace(document, reference)}: ${message}`, {hint, cause: error})
  })
}

function cycle(document: EnvironmentDocument, reference: FileReference, files: readonly string[]): KkError {
  const message = `${referencePlace(document, reference)}: these files include each other: ${files.join(' → ')}`
  return new KkError('KK_ENVIRONMENT', message, {hint: 'remove this name from kk.include'})
}

/**
 * Returns the content of an environment file, or of the kind of file that `words` describes. Rejects with
 * `KK_FILE`.
 */
export async function loadSource({
  file,
  cwd = process.cwd(),
  stdin,
  onDuplicate,
  words = ENVIRONMENT,
}: LoadOptions): Promise<EnvironmentSource> {
  if (file === '-') {
    const text = await readStandardInput(`the ${words.what}`, stdin)
    return {file, text, directory: cwd, onDuplicate}
  }
  const path = resolve(cwd, file)
  const bytes = await readFileToEnd(path, file).catch(async (error: NodeJS.ErrnoException) => {
    if (error instanceof KkError) throw error
    const close = error.code === 'ENOENT' ? await closeName(path) : undefined
    const hint = close === undefined ? words.hint : `did you mean ${join(dirname(file), close)}?`
    throw unreadable(file, {...words, hint}, error)
  })
  return {file, text: utf8Text(bytes, file), directory: dirname(path), onDuplicate}
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
