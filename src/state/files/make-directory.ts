import {mkdir, stat} from 'node:fs/promises'
import {dirname, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {cacheDirectory, stateDirectory} from '../directories.ts'

interface DirectoryOptions {
  /** The permission bits of the directories that are made; by default those of the umask. */
  readonly mode?: number
}

/**
 * Makes a directory and the missing ones above it. Node's own recursive `mkdir` (26) tries for ever where the parent
 * exists and the child cannot, as below `/proc`. Rejects with `KK_FILE`.
 */
export async function makeDirectory(path: string, {mode = 0o777}: DirectoryOptions = {}): Promise<void> {
  try {
    for (const each of await missing(resolve(path))) await mkdir(each, {mode}).catch(exists)
  } catch (error) {
    throw unmakeable(path, error as NodeJS.ErrnoException)
  }
}

/** Returns the directories that are missing, from the top down. */
async function missing(path: string): Promise<readonly string[]> {
  const found: string[] = []
  for (let at = path; ; at = dirname(at)) {
    const there = await stat(at).catch(absent)
    if (there?.isDirectory()) return found.reverse()
    if (there) throw Object.assign(new Error(`${at} is no directory`), {code: 'ENOTDIR', path: at})
    found.push(at)
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  // ENOTDIR is of a path below a file; the directory above it tells which file.
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

/** Ignores a directory that another process made meanwhile. */
function exists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function unmakeable(path: string, cause: NodeJS.ErrnoException): KkError {
  const at = cause.path === undefined || cause.path === path ? '' : ` at ${cause.path}`
  const variable = variableOf(resolve(path))
  const other = variable === undefined ? 'name another one' : `name another place by ${variable}`
  return new KkError('KK_FILE', `the directory ${path} cannot be made (${cause.code}${at})`, {
    cause,
    hint: `make room or give permission there, or ${other}`,
  })
}

/** Returns the variable by which the user chooses the place of such a directory. */
function variableOf(path: string): string | undefined {
  const isBelow = (directory: string) => path === directory || path.startsWith(`${directory}/`)
  if (isBelow(stateDirectory(process.env))) return 'XDG_STATE_HOME'
  return isBelow(cacheDirectory(process.env)) ? 'XDG_CACHE_HOME' : undefined
}
