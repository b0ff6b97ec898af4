import {KkError} from '../base/errors.ts'

/** The user's requests to end a run, by signals. */
export interface Interruption {
  /** Aborted when nothing more should start; running actions finish. */
  readonly stop: AbortSignal
  /** Aborted when running actions must end; the reason is a `KK_INTERRUPTED`. */
  readonly abort: AbortSignal
  /** Requests a stop on the first call, an abort on the second. */
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

/** Returns the reason of an abort. */
export function interrupted(): KkError {
  return new KkError('KK_INTERRUPTED', 'the run was interrupted', {
    hint: 'run the same command again: kk checks the cluster first, and continues where it stopped',
  })
}
