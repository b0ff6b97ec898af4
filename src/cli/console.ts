import {createInterface} from 'node:readline/promises'
import {asKkError, type ExitCode, KkError} from '../base/errors.ts'
import {type ColourLevel, colourLevel, type Palette, palette} from '../report/colour.ts'
import {type DocumentFormat, documentText} from '../report/document.ts'
import {errorDocument, errorLine, errorText} from '../report/error-text.ts'
import {type View, viewText} from '../report/text/view.ts'

type StreamName = 'stdout' | 'stderr'

/** The output of one command, with colour decided once for each stream. Its functions need no `this`. */
export interface Console {
  readonly level: (stream: StreamName) => ColourLevel
  readonly palette: (stream: StreamName) => Palette
  /** Writes data on standard output. */
  readonly print: (text: string) => void
  /** Writes a view for people on standard error. */
  readonly say: (view: View) => void
  /**
   * Writes one document on standard output: as `--output json|yaml`, on one line as `ndjson`, or as the view for people;
   * without a view, `text` prints nothing.
   */
  readonly document: (format: Output, value: unknown, view?: (palette: Palette) => View) => void
  /**
   * Prints an error on standard error, for `--output json|yaml|ndjson` also on standard output, unless that has a document.
   * Returns the exit code.
   */
  readonly fail: (error: unknown, options?: {readonly hasDocument?: boolean}) => ExitCode
}

/** The form of the output: `ndjson` is the stream of events. */
export type Output = 'text' | 'ndjson' | DocumentFormat

/** Returns the console of a command line; its flags select colours and the form of errors. */
export function openConsole(words: readonly string[]): Console {
  const levels = {stdout: levelOf('stdout', words), stderr: levelOf('stderr', words)}
  const paletteOf = (stream: StreamName) => palette(levels[stream])
  const print = (text: string) => {
    if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  }
  return {
    level: (stream) => levels[stream],
    palette: paletteOf,
    print,
    say: (view) => tell('stderr', view),
    document(format, value, view) {
      if (format === 'ndjson') print(JSON.stringify(value))
      else if (format !== 'text') print(documentText(value, format))
      else if (view) tell('stdout', view(paletteOf('stdout')))
    },
    fail(error, {hasDocument = false} = {}) {
      const known = asKkError(error)
      const output = outputFormat(words)
      if (output === 'ndjson') process.stdout.write(errorLine(known))
      if (!hasDocument && (output === 'json' || output === 'yaml'))
        process.stdout.write(documentText(errorDocument(known), output))
      tell('stderr', errorText(known, paletteOf('stderr')))
      return known.exit
    },
  }
}

/** The colour of a stream, from `--color`, `--no-color`, the environment and the terminal. */
function levelOf(stream: StreamName, words: readonly string[]): ColourLevel {
  const flag = words.includes('--no-color') ? false : words.includes('--color') ? true : undefined
  return colourLevel({stream: process[stream], env: process.env, flag})
}

function outputFormat(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--output' || word.startsWith('--output='))
  if (at === -1) return undefined
  return words[at]!.includes('=') ? words[at]!.slice('--output='.length) : words[at + 1]
}

/** Writes a view for people on a stream; on a terminal it fits the columns. */
export function tell(name: StreamName, view: View): void {
  const stream = process[name]
  const text = viewText(view, stream.isTTY && stream.columns > 0 ? stream.columns : Infinity)
  if (text !== '') stream.write(text)
}

/** Returns true when a question can be asked: standard input and standard error are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/**
 * Asks for a confirmation that is always required. Rejects with `KK_UNCONFIRMED` without a terminal; the hint is how to confirm
 * on the command line.
 */
export async function requireConfirmation(question: string, hint: string): Promise<void> {
  if (canAsk()) return confirm(question)
  throw new KkError('KK_UNCONFIRMED', 'nobody can be asked here; nothing was changed', {hint})
}

/** Asks on standard error; rejects with `KK_UNCONFIRMED` unless the answer is yes. */
export async function confirm(question: string): Promise<void> {
  const answer = await answerTo(`${question} [y/N] `)
  if (/^y(es)?$/i.test(answer ?? '')) return
  throw new KkError('KK_UNCONFIRMED', 'not confirmed; nothing was changed', {hint: 'answer y, or pass --yes'})
}

/** Asks on standard error for a name to be typed; resolves with true if the answer is exactly the name. */
export async function typedName(question: string, name: string): Promise<boolean> {
  return (await answerTo(`${question}: type "${name}" `)) === name
}

/** Asks on standard error; an empty answer is the fallback. Rejects with `KK_UNCONFIRMED` if the input ends. */
export async function ask(question: string, fallback: string): Promise<string> {
  const answer = await answerTo(fallback === '' ? `${question}: ` : `${question} [${fallback}]: `)
  if (answer !== undefined) return answer === '' ? fallback : answer
  throw new KkError('KK_UNCONFIRMED', 'not answered; nothing was changed', {
    hint: 'pass the answers as flags, or --yes to take those that are offered',
  })
}

/** Returns the answer without surrounding blanks; undefined if the input ended. */
async function answerTo(question: string): Promise<string | undefined> {
  const terminal = createInterface({input: process.stdin, output: process.stderr})
  const cancelled = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  const answer = await Promise.race([terminal.question(question), cancelled])
  terminal.close()
  // Ctrl-C and Ctrl-D end no line.
  if (answer === undefined) process.stderr.write('\n')
  return answer?.trim()
}

type Code = string | undefined

/** The errors of a stream whose reader, a pipe or a terminal, has closed. */
const GONE: ReadonlySet<Code> = new Set(['EPIPE', 'EIO'])

/**
 * Keeps kk running when its output cannot be written, so that a closed pipe does not interrupt helm. An error other than a
 * closed reader, such as a full disk, is reported on standard error and makes the exit code 1.
 */
export function endureBrokenStreams(): void {
  endure(process.stderr, () => undefined)
  endure(process.stdout, (code) => {
    if (GONE.has(code)) return
    process.stderr.write(`error KK_FILE: standard output cannot be written (${code})\n`)
    process.once('exit', () => {
      if (!process.exitCode) process.exitCode = 1
    })
  })
}

/** Drops what is written after the first failure of the stream. */
function endure(stream: NodeJS.WriteStream, onBroken: (code: Code) => void): void {
  let isBroken = false
  const broken = (error: unknown): void => {
    if (isBroken) return
    isBroken = true
    onBroken((error as NodeJS.ErrnoException).code)
  }
  const write = stream.write.bind(stream) as (...words: readonly unknown[]) => boolean
  // oclif's own listener throws, which would end the process.
  stream.removeAllListeners('error').on('error', broken)
  stream.write = (...words: readonly unknown[]) => {
    if (isBroken) return true
    try {
      return write(...words)
    } catch (error) {
      // Writes to a file are synchronous and throw.
      broken(error)
      return true
    }
  }
}
