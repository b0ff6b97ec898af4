/** Time as the board needs it; a test passes one that it moves itself. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back every so many milliseconds until the returned function is called. */
  every(milliseconds: number, callback: () => void): () => void
}

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  every(milliseconds, callback) {
    const timer = setInterval(callback, milliseconds)
    return () => clearInterval(timer)
  },
}
