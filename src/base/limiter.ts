/** Runs work when its turn comes. Rejects with the reason of the signal when that is aborted before. */
export type Limiter = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Returns a function that runs what it is given, at most `limit` at once, in the order in which it was given. */
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
