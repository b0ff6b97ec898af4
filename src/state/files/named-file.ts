import {constants, createReadStream, openSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import {Socket} from 'node:net'
import type {Readable} from 'node:stream'
import {KkError} from '../../errors.ts'
import {utf8Text} from './utf8-text.ts'

interface Naming {
  /** What messages call the file; by default its path. */
  readonly what?: string
  readonly hint?: string
  readonly silenceMilliseconds?: number
}

/** The text of a file that the user names. Rejects with `KK_FILE`, also where it is no UTF-8. */
export async function readNamedFile(
  file: string,
  {what = file, hint = 'check the path and its permissions', silenceMilliseconds}: Naming = {},
): Promise<string> {
  const bytes = await readFileToEnd(file, what, silenceMilliseconds).catch((cause: NodeJS.ErrnoException) => {
    if (cause instanceof KkError) throw cause
    throw new KkError('KK_FILE', `${what}: the file cannot be read (${cause.code})`, {cause, hint})
  })
  return utf8Text(bytes, what)
}

/** More is nobody's values: a device such as `/dev/zero` has no end. */
const MOST_BYTES = 64 * 1024 * 1024

/** Who writes to a pipe may have to ask a vault, and that one a person. */
const SILENCE_MILLISECONDS = 300_000

/** All bytes of a file or a named pipe. Rejects as `readToEnd`. */
export async function readFileToEnd(
  file: string,
  what: string,
  silenceMilliseconds?: number,
): Promise<Buffer> {
  return readToEnd(await openToRead(file), what, silenceMilliseconds)
}

/** To open a named pipe waits until somebody writes to it, and a process cannot end meanwhile; but not so. */
async function openToRead(file: string): Promise<Readable> {
  if (!(await stat(file)).isFIFO()) return createReadStream(file)
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({fd, readable: true, writable: false})
}

/** The text of standard input; a terminal, where nobody may know of it, is told what is awaited. Rejects with `KK_FILE`. */
export async function readStandardInput(what: string, stdin: Readable = process.stdin): Promise<string> {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true
  if (isTerminal) process.stderr.write(`reading ${what} from standard input: end it with Ctrl-D\n`)
  return utf8Text(await readToEnd(stdin, what, isTerminal ? Infinity : SILENCE_MILLISECONDS), what)
}

/**
 * All bytes of a stream. Rejects with `KK_FILE` where there are more than 64 MiB, or where nothing comes for so many
 * milliseconds, and as the stream does.
 */
export async function readToEnd(
  stream: Readable,
  what: string,
  silenceMilliseconds = SILENCE_MILLISECONDS,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const silent = () => stream.destroy(silence(what, silenceMilliseconds))
  const timer = silenceMilliseconds < Infinity ? setTimeout(silent, silenceMilliseconds) : undefined
  try {
    for await (const chunk of stream) {
      timer?.refresh()
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
      length += bytes.length
      if (length > MOST_BYTES) throw tooLarge(what)
      chunks.push(bytes)
    }
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}

function tooLarge(what: string): KkError {
  return new KkError('KK_FILE', `${what}: expected at most ${MOST_BYTES / 1024 / 1024} MiB, got more`, {
    hint: 'name a file that has an end',
  })
}

function silence(what: string, milliseconds: number): KkError {
  return new KkError('KK_FILE', `${what}: nothing came for ${milliseconds / 1000} s, and it has not ended`, {
    hint: 'find out whether what writes to it still runs, or name a file',
  })
}
