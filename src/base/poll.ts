import {setTimeout as wait} from 'node:timers/promises'

export interface Polling {
  /** The poll interval, in milliseconds. */
  readonly interval: number
  /** In milliseconds since the epoch. */
  readonly deadline?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Calls `check` until it returns a result, and resolves with the result; resolves with undefined once the
 * deadline has passed, after at least one call. Rejects if `check` rejects, and with the reason of the signal
 * if it aborts.
 */
export async function pollUntil<T>(
  check: () => Promise<T | false | undefined>,
  {interval, deadline = Number.POSITIVE_INFINITY, signal}: Polling,
): Promise<T | undefined> {
  for (;;) {
    const result = await check()
    if (result !== undefined && result !== false) return result
    signal?.throwIfAborted()
    const remaining = deadline - Date.now()
    if (remaining <= 0) return undefined
    await wait(Math.min(interval, remaining), undefined, {signal}).catch(() => undefined)
  }
}
