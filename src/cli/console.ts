import {createInterface} from 'node:readline/promises'
import {asKkError, type ExitCode, KkError} from '../errors.ts'
import {type ColourLevel, colourLevel, type Palette, palette} from '../report/colour.ts'
import {documentText} from '../report/document.ts'
import {errorDocument, errorLine, errorText} from '../report/error-text.ts'
import {fitted} from '../report/text/fitted.ts'

type StreamName = 'stdout' | 'stderr'

/** The colour of a stream, from `--color`, `--no-color`, the environment and the terminal. */
export function levelOf(stream: StreamName, argv: readonly string[]): ColourLevel {
  const flag = argv.includes('--no-color') ? false : argv.includes('--color') ? true : undefined
  return colourLevel({stream: process[stream], env: process.env, flag})
}

export function paletteOf(stream: StreamName, argv: readonly string[]): Palette {
  return palette(levelOf(stream, argv))
}

/** A text for people, on a stream; on a terminal its lines are broken between words. */
export function tell(name: 'stdout' | 'stderr', text: string): void {
  const stream = process[name]
  stream.write(stream.isTTY && stream.columns > 0 ? fitted(text, stream.columns) : text)
}

type Code = string | undefined

/** Who reads has gone: a pipe, or a terminal. */
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

/** Whether a question can be asked: a terminal on both sides. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/**
 * For what is never done unasked: asks where somebody can be asked, and else rejects with `KK_UNCONFIRMED` and the hint
 * of how to confirm it on the command line.
 */
export async function requireConfirmation(question: string, hint: string): Promise<void> {
  if (canAsk()) return confirm(question)
  throw new KkError('KK_UNCONFIRMED', 'nobody can be asked here; nothing was changed', {hint})
}

/** Asks on standard error; rejects with `KK_UNCONFIRMED` unless the answer is yes. */
export async function confirm(question: string): Promise<void> {
  const terminal = createInterface({input: process.stdin, output: process.stderr})
  const cancelled = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), cancelled])
  terminal.close()
  // Ctrl-C and Ctrl-D end no line.
  if (answer === undefined) process.stderr.write('\n')
  if (answer !== undefined && /^y(es)?$/i.test(answer.trim())) return
  throw new KkError('KK_UNCONFIRMED', 'not confirmed; nothing was changed', {hint: 'answer y, or pass --yes'})
}

/** Asks on standard error for a name to be typed; false unless it was, letter by letter. */
export async function typedName(question: string, name: string): Promise<boolean> {
  const terminal = createInterface({input: process.stdin, output: process.stderr})
  const cancelled = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  const answer = await Promise.race([terminal.question(`${question}: type "${name}" `), cancelled])
  terminal.close()
  if (answer === undefined) process.stderr.write('\n')
  return answer?.trim() === name
}

/**
 * Prints an error where its reader looks for it, and returns the exit code: as a document for `--output json`, unless
 * standard output has one.
 */
export function printError(error: unknown, argv: readonly string[], {hasDocument = false} = {}): ExitCode {
  const known = asKkError(error)
  const output = outputFormat(argv)
  if (output === 'ndjson') process.stdout.write(errorLine(known))
  if (!hasDocument && (output === 'json' || output === 'yaml'))
    process.stdout.write(documentText(errorDocument(known), output))
  tell('stderr', errorText(known, paletteOf('stderr', argv)))
  return known.exit
}

function outputFormat(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((argument) => argument === '--output' || argument.startsWith('--output='))
  if (at === -1) return undefined
  return argv[at]!.includes('=') ? argv[at]!.slice('--output='.length) : argv[at + 1]
}
