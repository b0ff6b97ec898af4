import {KkError} from '../base/errors.ts'

/** What the user's signals ask of a run. */
export interface Interruption {
  /** Start nothing more, let what runs finish. */
  readonly stop: AbortSignal
  /** End what runs; the reason is a `KK_INTERRUPTED`. */
  readonly abort: AbortSignal
  /** The first call asks to stop, the second to abort. */
  interrupt(): void
}

export function newInterruption(): Interruption {
  const stop = new AbortController()
  const abort = new AbortController()
  return {
    stop: stop.signal,
    abort: abort.signal,
    interrupt() {
      if (stop.signal.aborted) abort.abort(interrupted())
      stop.abort(interrupted())
    },
  }
}

/** Why what ran was aborted. */
export function interrupted(): KkError {
  return new KkError('KK_INTERRUPTED', 'the run was interrupted', {
    hint: 'run the same command again: kk looks at the cluster first, and goes on where it stopped',
  })
}
