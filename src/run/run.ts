import {newChannel} from './channel.ts'
import {conduct} from './conduct.ts'
import type {RunEvent} from './events.ts'
import {interrupted, newInterruption} from './interruption.ts'
import type {RunOptions} from './run-options.ts'

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
