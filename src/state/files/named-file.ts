import {createReadStream} from 'node:fs'
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
  const bytes = await readToEnd(createReadStream(file), what).catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof KkError) throw cause
    throw new KkError('KK_FILE', `${what}: the file cannot be read (${cause.code})`, {cause, hint})
  })
  return utf8Text(bytes, what)
}

/** More is nobody's values: a device such as `/dev/zero` has no end. */
const MOST_BYTES = 64 * 1024 * 1024

/** All bytes of a file, a pipe or standard input. Rejects with `KK_FILE` where there are more than 64 MiB, and as the stream does. */
export async function readToEnd(stream: AsyncIterable<unknown>, what: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    length += bytes.length
    if (length > MOST_BYTES)
      throw new KkError('KK_FILE', `${what}: expected at most ${MOST_BYTES / 1024 / 1024} MiB, got more`, {
        hint: 'name a file that has an end',
      })
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}
