import {mkdir, stat} from 'node:fs/promises'
import {dirname, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {cacheDirectory, stateDirectory} from '../directories.ts'

interface DirectoryOptions {
  /** The permission bits of new directories; by default those of the umask. */
  readonly mode?: number
}

/**
 * Creates a directory and its missing parents. Node's own recursive `mkdir` (26) retries forever if the
 * parent exists and the child cannot be created, as below `/proc`. Rejects with `KK_FILE`.
 */
export async function makeDirectory(path: string, {mode = 0o777}: DirectoryOptions = {}): Promise<void> {
  try {
    for (const each of await missing(resolve(path))) await mkdir(each, {mode}).catch(exists)
  } catch (error) {
    throw unmakeable(path, error as NodeJS.ErrnoException)
  }
}

/** Returns the missing directories, parents first. */
async function missing(path: string): Promise<readonly string[]> {
  const directories: string[] = []
  for (let at = path; ; at = dirname(at)) {
    const status = await stat(at).catch(absent)
    if (status?.isDirectory()) return directories.reverse()
    if (status) throw Object.assign(new Error(`${at} is not a directory`), {code: 'ENOTDIR', path: at})
    directories.push(at)
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  // ENOTDIR is the error of a path below a file; the caller then checks the parent, which is that file.
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

/** Ignores a directory that another process has created in the meantime. */
function exists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function unmakeable(path: string, cause: NodeJS.ErrnoException): KkError {
  const at = cause.path === undefined || cause.path === path ? '' : ` at ${cause.path}`
  const variable = locationVariable(resolve(path))
  const other = variable === undefined ? 'name another one' : `set ${variable} to another place`
  return new KkError('KK_FILE', `the directory ${path} cannot be created (${cause.code}${at})`, {
    cause,
    hint: `make room or give permission there, or ${other}`,
  })
}

/** Returns the variable that sets the place of such a directory. */
function locationVariable(path: string): string | undefined {
  const isBelow = (directory: string) => path === directory || path.startsWith(`${directory}/`)
  if (isBelow(stateDirectory(process.env))) return 'XDG_STATE_HOME'
  return isBelow(cacheDirectory(process.env)) ? 'XDG_CACHE_HOME' : undefined
}
