import {setTimeout as wait} from 'node:timers/promises'

interface Polling {
  /** The time between two looks, in milliseconds. */
  readonly interval: number
  /** In milliseconds since the epoch. */
  readonly deadline?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Looks until a look finds something, and resolves with that; with undefined when the deadline has passed, after one look at
 * least. Rejects as a look does, and with the reason of the signal when it has aborted.
 */
export async function pollUntil<T>(
  look: () => Promise<T | false | undefined>,
  {interval, deadline = Number.POSITIVE_INFINITY, signal}: Polling,
): Promise<T | undefined> {
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    signal?.throwIfAborted()
    const left = deadline - Date.now()
    if (left <= 0) return undefined
    await wait(Math.min(interval, left), undefined, {signal}).catch(() => undefined)
  }
}
