import type {Clock} from '../../../src/report/run/board.ts'

/** A clock that stands still until it is moved; `seconds` are those since `START`. */
export interface HandClock extends Clock {
  /** Sets the time and calls what waits for a frame, once. */
  tick(seconds: number): void
}

/** When every recorded run begins, in milliseconds since the epoch. */
export const START = Date.UTC(2026, 10, 20, 12, 0, 0)

export function handClock(): HandClock {
  const callbacks = new Set<() => void>()
  let now = START
  return {
    now: () => now,
    every(_milliseconds, callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    tick(seconds) {
      now = START + seconds * 1000
      for (const callback of callbacks) callback()
    },
  }
}
