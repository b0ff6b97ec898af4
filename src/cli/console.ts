import {createInterface} from 'node:readline/promises'
import {asKkError, type ExitCode, KkError} from '../base/errors.ts'
import {type ColourLevel, colourLevel, type Palette, palette} from '../report/colour.ts'
import {type DocumentFormat, documentText} from '../report/document.ts'
import {errorDocument, errorLine, errorText} from '../report/error-text.ts'
import {type View, viewText} from '../report/text/view.ts'

type StreamName = 'stdout' | 'stderr'

/**
 * The output of one command. Whether a stream has colors is determined once. The functions do not use `this`.
 */
export interface Console {
  readonly level: (stream: StreamName) => ColourLevel
  readonly palette: (stream: StreamName) => Palette
  /** Writes data on standard output. */
  readonly print: (text: string) => void
  /** Writes a human-readable view on standard error. */
  readonly say: (view: View) => void
  /**
   * Writes one document on standard output: as `--output json|yaml`, on one line as `ndjson`, or as the
   * human-readable view; without a view, `text` prints nothing.
   */
  readonly document: (format: Output, value: unknown, view?: (palette: Palette) => View) => void
  /**
   * Prints an error on standard error, with `--output json|yaml|ndjson` also on standard output unless a
   * document was written there. Returns the exit code.
   */
  readonly fail: (error: unknown, options?: {readonly hasDocument?: boolean}) => ExitCode
}

/** The output format: `ndjson` is the stream of events. */
export type Output = 'text' | 'ndjson' | DocumentFormat

/** Returns the console of a command line; its flags select colors and the format of errors. */
export function openConsole(words: readonly string[]): Console {
  const levels = {stdout: streamLevel('stdout', words), stderr: streamLevel('stderr', words)}
  const paletteOf = (stream: StreamName) => palette(levels[stream])
  const print = (text: string) => {
    if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  }
  return {
    level: (stream) => levels[stream],
    palette: paletteOf,
    print,
    say: (view) => writeView('stderr', view),
    document(format, value, view) {
      if (format === 'ndjson') print(JSON.stringify(value))
      else if (format !== 'text') print(documentText(value, format))
      else if (view) writeView('stdout', view(paletteOf('stdout')))
    },
    fail(error, {hasDocument = false} = {}) {
      const kkError = asKkError(error)
      const output = outputFormat(words)
      if (output === 'ndjson') process.stdout.write(errorLine(kkError))
      if (!hasDocument && (output === 'json' || output === 'yaml'))
        process.stdout.write(documentText(errorDocument(kkError), output))
      writeView('stderr', errorText(kkError, paletteOf('stderr')))
      return kkError.exit
    },
  }
}

/** Returns the color level of a stream, from `--color`, `--no-color`, the environment and the terminal. */
function streamLevel(stream: StreamName, words: readonly string[]): ColourLevel {
  const flag = words.includes('--no-color') ? false : words.includes('--color') ? true : undefined
  return colourLevel({stream: process[stream], env: process.env, flag})
}

/** Returns the value of `--output` or `-o`; on `values split`, `-o` is a directory. */
function outputFormat(words: readonly string[]): string | undefined {
  const [first, second] = words
  const isSplit = first === 'values' && second === 'split'
  const own = words.slice(0, words.includes('--') ? words.indexOf('--') : words.length)
  for (const [at, word] of own.entries()) {
    const found = /^--output(?:=(.+))?$/.exec(word) ?? (isSplit ? null : /^-o=?(.+)?$/.exec(word))
    if (found) return found[1] ?? own[at + 1]
  }
  return undefined
}

/** Writes a human-readable view on a stream; on a terminal it fits the columns. */
export function writeView(name: StreamName, view: View): void {
  const stream = process[name]
  const text = viewText(view, stream.isTTY && stream.columns > 0 ? stream.columns : Infinity)
  if (text !== '') stream.write(text)
}

/** Returns true when a question can be asked: standard input and standard error are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/**
 * Asks for a required confirmation. Rejects with `KK_UNCONFIRMED` without a terminal; the hint describes how
 * to confirm on the command line.
 */
export async function requireConfirmation(question: string, hint: string): Promise<void> {
  if (canAsk()) return confirm(question)
  throw new KkError('KK_UNCONFIRMED', 'cannot ask for confirmation without a terminal; nothing was changed', {
    hint,
  })
}

/** Asks on standard error; rejects with `KK_UNCONFIRMED` unless the answer is yes. */
export async function confirm(question: string): Promise<void> {
  const answer = await answerTo(`${question} [y/N] `)
  if (/^y(es)?$/i.test(answer ?? '')) return
  throw new KkError('KK_UNCONFIRMED', 'not confirmed; nothing was changed', {hint: 'answer y, or pass --yes'})
}

/** Asks the user to type a name; resolves with true if the answer is exactly the name. */
export async function typedName(question: string, name: string): Promise<boolean> {
  return (await answerTo(`${question}: type "${name}" `)) === name
}

/**
 * Asks on standard error; an empty answer selects the fallback. Rejects with `KK_UNCONFIRMED` if the input
 * ends.
 */
export async function prompt(question: string, fallback: string): Promise<string> {
  const answer = await answerTo(fallback === '' ? `${question}: ` : `${question} [${fallback}]: `)
  if (answer !== undefined) return answer === '' ? fallback : answer
  throw new KkError('KK_UNCONFIRMED', 'not answered; nothing was changed', {
    hint: 'pass the answers as flags, or --yes to use the defaults',
  })
}

/** Returns the answer without surrounding blanks; undefined if the input ended. */
async function answerTo(question: string): Promise<string | undefined> {
  const terminal = createInterface({input: process.stdin, output: process.stderr})
  const cancelled = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  const answer = await Promise.race([terminal.question(question), cancelled])
  terminal.close()
  // Ctrl-C and Ctrl-D do not end the line.
  if (answer === undefined) process.stderr.write('\n')
  return answer?.trim()
}

type Code = string | undefined

/** The error codes of a stream whose reader, a pipe or a terminal, has closed. */
const READER_CLOSED: ReadonlySet<Code> = new Set(['EPIPE', 'EIO'])

/**
 * Keeps kk running if its output cannot be written, so that a closed pipe does not interrupt helm. Any other
 * error, such as a full disk, is reported on standard error and sets the exit code to 1.
 */
export function ignoreBrokenStreams(): void {
  endure(process.stderr, () => undefined)
  endure(process.stdout, (code) => {
    if (READER_CLOSED.has(code)) return
    process.stderr.write(`error KK_FILE: standard output cannot be written (${code})\n`)
    process.once('exit', () => {
      if (!process.exitCode) process.exitCode = 1
    })
  })
}

/** Discards writes after the first error of the stream. */
function endure(stream: NodeJS.WriteStream, onBroken: (code: Code) => void): void {
  let isBroken = false
  const markBroken = (error: unknown): void => {
    if (isBroken) return
    isBroken = true
    onBroken((error as NodeJS.ErrnoException).code)
  }
  const write = stream.write.bind(stream) as (...words: readonly unknown[]) => boolean
  // The listener of oclif throws, which would end the process.
  stream.removeAllListeners('error').on('error', markBroken)
  stream.write = (...words: readonly unknown[]) => {
    if (isBroken) return true
    try {
      return write(...words)
    } catch (error) {
      // Writes to a file are synchronous and throw.
      markBroken(error)
      return true
    }
  }
}
