import {setTimeout as sleep} from 'node:timers/promises'

/** Time, passed in so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after so many milliseconds; true, or false when the signal was aborted before. Never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>
}

export const systemClock: Clock = {
  now: Date.now,
  wait: (milliseconds, signal) =>
    sleep(milliseconds, undefined, {signal}).then(
      () => true,
      () => false,
    ),
}
