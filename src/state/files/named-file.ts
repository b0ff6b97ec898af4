import {constants, createReadStream, openSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import {Socket} from 'node:net'
import type {Readable} from 'node:stream'
import {KkError} from '../../base/errors.ts'
import {utf8Text} from './utf8-text.ts'

interface Naming {
  /** The name of the file in messages; defaults to its path. */
  readonly what?: string
  readonly hint?: string
  readonly silenceMilliseconds?: number
}

/** Reads a file that the user names. Rejects with `KK_FILE`, also if the file is not UTF-8. */
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

/** The maximum size of an input. No values are larger, and a device such as `/dev/zero` never ends. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024

/**
 * The maximum time without input. A program that writes to a pipe may wait for a vault, and the vault for a
 * person.
 */
const SILENCE_MILLISECONDS = 300_000

/** Returns all bytes of a file or a named pipe. Rejects like `readToEnd`. */
export async function readFileToEnd(
  file: string,
  what: string,
  silenceMilliseconds?: number,
): Promise<Buffer> {
  return readToEnd(await openToRead(file), what, silenceMilliseconds)
}

/**
 * Opens a file for reading. A named pipe is opened without blocking: a blocking open waits for a writer, and
 * the process cannot exit in the meantime.
 */
async function openToRead(file: string): Promise<Readable> {
  if (!(await stat(file)).isFIFO()) return createReadStream(file)
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({fd, readable: true, writable: false})
}

/**
 * Reads standard input as a string. On a terminal it first prints what it waits for. Rejects with `KK_FILE`.
 */
export async function readStandardInput(what: string, stdin: Readable = process.stdin): Promise<string> {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true
  if (isTerminal) process.stderr.write(`reading ${what} from standard input: end it with Ctrl-D\n`)
  return utf8Text(await readToEnd(stdin, what, isTerminal ? Infinity : SILENCE_MILLISECONDS), what)
}

/**
 * Returns all bytes of a stream. Rejects with `KK_FILE` if there are more than 64 MiB, or if there is no
 * input for `silenceMilliseconds`; rejects with the stream's own errors.
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
      if (length > MAX_INPUT_BYTES) throw tooLarge(what)
      chunks.push(bytes)
    }
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}

function tooLarge(what: string): KkError {
  return new KkError('KK_FILE', `${what}: expected at most ${MAX_INPUT_BYTES / 1024 / 1024} MiB, got more`, {
    hint: 'name a file of finite size',
  })
}

function silence(what: string, milliseconds: number): KkError {
  return new KkError('KK_FILE', `${what}: no input for ${milliseconds / 1000} s, and it has not ended`, {
    hint: 'check whether the program that writes to it still runs, or name a file',
  })
}
