import {createInterface} from 'node:readline/promises'
import {asKkError, type ExitCode, KkError} from '../base/errors.ts'
import {type ColourLevel, colourLevel, type Palette, palette} from '../report/colour.ts'
import {type DocumentFormat, documentText} from '../report/document.ts'
import {errorDocument, errorLine, errorText} from '../report/error-text.ts'
import {fitted} from '../report/text/fitted.ts'

type StreamName = 'stdout' | 'stderr'

/** The output of one command, with colour decided once for each stream. Its functions need no `this`. */
export interface Console {
  readonly level: (stream: StreamName) => ColourLevel
  readonly palette: (stream: StreamName) => Palette
  /** Writes data on standard output. */
  readonly print: (text: string) => void
  /** Writes a text for people on standard error. */
  readonly say: (text: string) => void
  /**
   * Writes one document on standard output: as `text` makes it for people, and nothing without that; as `--output json|yaml`,
   * or on one line as `ndjson`.
   */
  readonly document: (format: Output, value: unknown, text?: (palette: Palette) => string) => void
  /**
   * Prints an error where its reader looks for it, and returns the exit code: as a document for `--output json`, unless
   * standard output has one.
   */
  readonly fail: (error: unknown, options?: {readonly hasDocument?: boolean}) => ExitCode
}

/** The form of the output: `ndjson` is the stream of events. */
export type Output = 'text' | 'ndjson' | DocumentFormat

/** The console of a command line, whose words say whether there is to be colour, and in which form errors are printed. */
export function openConsole(words: readonly string[]): Console {
  const levels = {stdout: levelOf('stdout', words), stderr: levelOf('stderr', words)}
  const paletteOf = (stream: StreamName) => palette(levels[stream])
  const print = (text: string) => {
    if (text !== '') process.stdout.write(ended(text))
  }
  return {
    level: (stream) => levels[stream],
    palette: paletteOf,
    print,
    say(text) {
      if (text !== '') tell('stderr', ended(text))
    },
    document(format, value, text) {
      if (format === 'ndjson') print(JSON.stringify(value))
      else if (format !== 'text') print(documentText(value, format))
      else if (text) tell('stdout', ended(text(paletteOf('stdout'))))
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

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Writes a text for people on a stream; on a terminal its lines are broken between words. */
export function tell(name: StreamName, text: string): void {
  const stream = process[name]
  stream.write(stream.isTTY && stream.columns > 0 ? fitted(text, stream.columns) : text)
}

/** Returns true when a question can be asked: a terminal is on both sides. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/**
 * Asks before what is never done unasked: where nobody can be asked it rejects with `KK_UNCONFIRMED`, and the hint tells
 * how to confirm it on the command line.
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

/** Asks on standard error for a name to be typed; false unless it was, letter by letter. */
export async function typedName(question: string, name: string): Promise<boolean> {
  return (await answerTo(`${question}: type "${name}" `)) === name
}

/** Asks on standard error for what an empty answer leaves as it is; rejects with `KK_UNCONFIRMED` where none is given. */
export async function ask(question: string, fallback: string): Promise<string> {
  const answer = await answerTo(fallback === '' ? `${question}: ` : `${question} [${fallback}]: `)
  if (answer !== undefined) return answer === '' ? fallback : answer
  throw new KkError('KK_UNCONFIRMED', 'not answered; nothing was changed', {
    hint: 'pass the answers as flags, or --yes to take those that are offered',
  })
}

/** The answer without the blanks around it; undefined where none was given. */
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

/** The reader, a pipe or a terminal, has gone. */
const GONE: ReadonlySet<Code> = new Set(['EPIPE', 'EIO'])

/**
 * Keeps kk at work when its output cannot be written: a run must not break off in the middle of helm because nobody
 * looks on. Data that was lost otherwise than by its reader, as on a full disk, is told, and makes the exit code 1.
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

/** After the first failure nothing more is written. */
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
      // A file is written at once, and what fails is thrown.
      broken(error)
      return true
    }
  }
}
