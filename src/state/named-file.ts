import {readFile} from 'node:fs/promises'
import {KkError} from '../errors.ts'

interface Naming {
  /** What messages call the file; by default its path. */
  readonly what?: string
  readonly hint?: string
}

/** The text of a file that the user names. Rejects with `KK_FILE`. */
export async function readNamedFile(
  file: string,
  {what = file, hint = 'check the path and its permissions'}: Naming = {},
): Promise<string> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `${what}: the file cannot be read (${cause.code})`, {cause, hint})
  })
}
