import type {KkError} from '../base/errors.ts'
import type {Palette} from './colour.ts'
import {plainLines} from './text/plain.ts'

/** The part of a `KkError` that is shown. */
type ErrorFacts = Pick<KkError, 'code' | 'message' | 'hint' | 'log' | 'exit'>

/** The form of an error in `--output json`. */
export interface ErrorDocument {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly hint?: string
    readonly exit: number
    readonly log?: readonly string[]
  }
}

/**
 * Returns an error as text: code and message, the log of the program that failed, and what to do next, with
 * its last newline.
 */
export function errorText(error: ErrorFacts, palette: Palette): string {
  const [first = '', ...rest] = plainLines(error.message)
  const lines = [`${palette.bad('error')} ${palette.strong(error.code)}: ${first}`]
  lines.push(...rest.map((line) => `  ${line}`))
  lines.push(...error.log.flatMap(plainLines).map((line) => `  ${palette.quiet('|')} ${line}`))
  if (error.hint !== undefined) lines.push(`${palette.accent('hint')}: ${plainLines(error.hint).join(' ')}`)
  return `${lines.join('\n')}\n`
}

export function errorDocument(error: ErrorFacts): ErrorDocument {
  const {code, message, hint, exit, log} = error
  return {
    error: {code, message, ...(hint !== undefined && {hint}), exit, ...(log.length > 0 && {log})},
  }
}

/** Returns an error as a line of `--output ndjson`; it follows the events of the run. */
export function errorLine(error: ErrorFacts): string {
  return `${JSON.stringify({type: 'error', ...errorDocument(error).error})}\n`
}
