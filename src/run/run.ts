import type {RunEvent} from './events.ts'
import {interrupted, newInterruption} from './interruption.ts'
import {runLoop} from './run-loop.ts'
import type {RunOptions} from './run-options.ts'

/**
 * Runs a plan and tells what happens; a failed action is an event, not an error. Nothing starts before the first event
 * is asked for. Whoever stops listening aborts the run, and waits until what ran has ended.
 */
export async function* run(options: RunOptions): AsyncGenerator<RunEvent> {
  const {
    interruption = newInterruption(),
    failFast = false,
    startCondition = 'helm',
    now = Date.now,
    ...rest
  } = options
  const deserted = new AbortController()
  const events = newChannel<RunEvent>()
  const ended = runLoop({
    ...rest,
    failFast,
    startCondition,
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

/** A queue between one who pushes and one who iterates. It is unbounded: a slow reader never holds up a run. */
export interface Channel<T> {
  push(item: T): void
  /** The iteration ends, or throws the error, after what was pushed before. */
  close(error?: unknown): void
  items(): AsyncGenerator<T>
}

export function newChannel<T>(): Channel<T> {
  let pushed: T[] = []
  let end: {readonly error: unknown} | undefined
  let wake = Promise.withResolvers<void>()

  return {
    push(item) {
      pushed.push(item)
      wake.resolve()
    },
    close(error) {
      end = {error}
      wake.resolve()
    },
    async *items() {
      while (true) {
        await wake.promise
        wake = Promise.withResolvers()
        const items = pushed
        pushed = []
        yield* items
        if (!end) continue
        if (pushed.length > 0) {
          wake.resolve()
          continue
        }
        if (end.error !== undefined) throw end.error
        return
      }
    },
  }
}
