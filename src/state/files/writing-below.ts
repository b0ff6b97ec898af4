import {sep} from 'node:path'
import {KkError} from '../../base/errors.ts'

interface WritablePlace {
  readonly directory: string
  /** The environment variable that sets another directory. */
  readonly variable: 'TMPDIR' | 'XDG_CACHE_HOME' | 'XDG_STATE_HOME'
}

/**
 * Runs `body`, which writes below a directory before any change to the cluster. Rejects with `KK_FILE` if the
 * directory is not writable: no space, a file size limit, no permission, a read-only disk. Other errors pass
 * unchanged.
 */
export async function withWritableDirectory<T>(place: WritablePlace, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    throw isOfWriting(error, place.directory) ? unwritable(error, place) : error
  }
}

/**
 * Returns true for an error of writing below the directory. Only the error of a failed write(2) has no path.
 */
function isOfWriting(error: unknown, directory: string): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || error instanceof KkError) return false
  const {syscall, path, dest} = error as NodeJS.ErrnoException & {readonly dest?: string}
  if (syscall === undefined) return false
  if (path === undefined) return syscall === 'write'
  return [path, dest].some((file) => file === directory || file?.startsWith(directory + sep))
}

function unwritable(cause: NodeJS.ErrnoException, {directory, variable}: WritablePlace): KkError {
  const fix = cause.code === 'EFBIG' ? 'raise the limit (ulimit -f)' : 'make room or give permission there'
  return new KkError(
    'KK_FILE',
    `the directory ${directory} cannot be written (${cause.code}); nothing was changed`,
    {
      cause,
      hint: `${fix}, or set ${variable} to another directory`,
    },
  )
}
