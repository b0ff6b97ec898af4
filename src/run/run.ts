import type {Plan} from '../plan/plan.ts'
import {newChannel} from './channel.ts'
import {conduct} from './conduct.ts'
import type {RunEvent} from './events.ts'
import {type Interruption, interrupted, newInterruption} from './interruption.ts'
import type {Perform} from './perform.ts'
import type {Pace} from './schedule/schedule.ts'

export interface RunOptions {
  /** The run's id. */
  readonly run: string
  readonly plan: Plan
  readonly perform: Perform
  /** How many places there are for what is changed at once, at least 1; see `startable`. */
  readonly concurrency: number
  /** When a place is free again; by default when helm has ended. */
  readonly pace?: Pace | undefined
  /** After the first failure start nothing more; otherwise independent branches go on. */
  readonly failFast?: boolean
  readonly interruption?: Pick<Interruption, 'stop' | 'abort'>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * Runs a plan and tells what happens; a failed action is an event, not an error. Nothing starts before the first event
 * is asked for. Whoever stops listening aborts the run, and waits until what ran has ended.
 */
export async function* run(options: RunOptions): AsyncGenerator<RunEvent> {
  const {interruption = newInterruption(), failFast = false, pace = 'helm', now = Date.now, ...rest} = options
  const deserted = new AbortController()
  const events = newChannel<RunEvent>()
  const ended = conduct({
    ...rest,
    failFast,
    pace,
    now,
    emit: events.push,
    stop: AbortSignal.any([interruption.stop, deserted.signal]),
    abort: AbortSignal.any([interruption.abort, deserted.signal]),
  }).then(
    () => events.close(),
    (error: unknown) => events.close(error),
  )
  try {
    yield* events.items()
  } finally {
    deserted.abort(interrupted())
    await ended
  }
}
