import {constants, createReadStream, openSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import {Socket} from 'node:net'
import type {Readable} from 'node:stream'
import {KkError} from '../../base/errors.ts'
import {utf8Text} from './utf8-text.ts'

interface Naming {
  /** The name of the file in messages; by default its path. */
  readonly what?: string
  readonly hint?: string
  readonly silenceMilliseconds?: number
}

/** Returns the text of a file that the user names. Rejects with `KK_FILE`, also where the file is not UTF-8. */
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

/** The limit of an input. No values are larger, and a device such as `/dev/zero` has no end. */
const MOST_BYTES = 64 * 1024 * 1024

/** The limit of silence. A program that writes to a pipe may have to ask a vault, and the vault a person. */
const SILENCE_MILLISECONDS = 300_000

/** Returns all bytes of a file or a named pipe. Rejects as `readToEnd`. */
export async function readFileToEnd(
  file: string,
  what: string,
  silenceMilliseconds?: number,
): Promise<Buffer> {
  return readToEnd(await openToRead(file), what, silenceMilliseconds)
}

/**
 * Opens a file to read it. A named pipe is opened without blocking: otherwise the call waits until somebody writes to
 * the pipe, and the process cannot end meanwhile.
 */
async function openToRead(file: string): Promise<Readable> {
  if (!(await stat(file)).isFIFO()) return createReadStream(file)
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({fd, readable: true, writable: false})
}

/** Returns the text of standard input. On a terminal it first says what it waits for. Rejects with `KK_FILE`. */
export async function readStandardInput(what: string, stdin: Readable = process.stdin): Promise<string> {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true
  if (isTerminal) process.stderr.write(`reading ${what} from standard input: end it with Ctrl-D\n`)
  return utf8Text(await readToEnd(stdin, what, isTerminal ? Infinity : SILENCE_MILLISECONDS), what)
}

/**
 * Returns all bytes of a stream. Rejects with `KK_FILE` where there are more than 64 MiB, or where nothing comes for
 * `silenceMilliseconds`; rejects with the stream's own errors.
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
