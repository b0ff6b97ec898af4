import type {Progress} from '../../run/run-state.ts'
import type {Palette} from '../colour.ts'
import {plainLine, plainLines} from '../text/plain.ts'
import {causeText} from './run-words.ts'

/** A failure as every report shows it, in text that a terminal may show. */
export interface FailureParts {
  readonly code: string
  /** At least one line. */
  readonly message: readonly string[]
  /** The last causes of its gate that the message does not name. */
  readonly blames: readonly string[]
  /** Last lines of helm and of the containers that are the cause. */
  readonly log: readonly string[]
  readonly hint: string | undefined
}

export function failureParts({error, blames}: Extract<Progress, {state: 'failed'}>): FailureParts {
  const unsaid = blames.filter(({pod, object}) => !error.message.includes(pod ?? object))
  const [first = '', ...rest] = plainLines(error.message)
  return {
    code: error.code,
    message: [first, ...rest],
    blames: unsaid.map(causeText),
    log: [error.log, ...unsaid.map(({log}) => log ?? [])].flat().flatMap(plainLines),
    hint: error.hint === undefined ? undefined : plainLine(error.hint),
  }
}

/**
 * The lines of a failure that follow the first one of its message: the rest of it, its causes, the log and
 * the hint.
 */
export function detailLines(
  {message, blames, log, hint}: FailureParts,
  {quiet, accent}: Palette,
): readonly string[] {
  return [
    ...message.slice(1),
    ...blames.map((cause) => `cause: ${cause}`),
    ...log.map((line) => `${quiet('|')} ${line}`),
    ...(hint === undefined ? [] : [`${accent('hint')}: ${hint}`]),
  ]
}
