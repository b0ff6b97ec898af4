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
