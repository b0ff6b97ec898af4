import {readFile} from 'node:fs/promises'
import {KkError} from '../../errors.ts'
import {utf8Text} from './utf8-text.ts'

interface Naming {
  /** What messages call the file; by default its path. */
  readonly what?: string
  readonly hint?: string
}

/** The text of a file that the user names. Rejects with `KK_FILE`, also where it is no UTF-8. */
export async function readNamedFile(
  file: string,
  {what = file, hint = 'check the path and its permissions'}: Naming = {},
): Promise<string> {
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `${what}: the file cannot be read (${cause.code})`, {cause, hint})
  })
  return utf8Text(bytes, what)
}
