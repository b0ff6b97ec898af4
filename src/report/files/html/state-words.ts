import type {Progress} from '../../../run/run-state.ts'

type State = Progress['state']

/** A sign beside each result, so that colour alone says nothing. */
export const SIGN = {
  succeeded: '✔',
  failed: '✖',
  skipped: '–',
  unchanged: '=',
  running: '?',
  waiting: '…',
} as const satisfies Record<State, string>

/** One word or two for each result. */
export const WORD = {
  succeeded: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
  unchanged: 'unchanged',
  running: 'not known to have ended',
  waiting: 'not started',
} as const satisfies Record<State, string>
