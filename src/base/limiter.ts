/** Runs work when a slot is free. Rejects with the reason of the signal if the signal aborts first. */
export type Limiter = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Returns a function that runs at most `limit` pieces of work at once, in the order of the calls. */
export function limiter(limit: number): Limiter {
  const waiting = new Set<() => void>()
  let running = 0

  function turn(signal: AbortSignal | undefined): Promise<void> {
    const {promise, resolve, reject} = Promise.withResolvers<void>()
    const leave = () => {
      waiting.delete(start)
      reject(signal?.reason)
    }
    const start = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    waiting.add(start)
    signal?.addEventListener('abort', leave, {once: true})
    return promise
  }

  return async (work, signal) => {
    signal?.throwIfAborted()
    if (running >= limit) await turn(signal)
    else running++
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else running--
    }
  }
}
