import {setTimeout as wait} from 'node:timers/promises'

/**
 * Returns a writer that runs one write at a time; requests during a write are coalesced into one more write.
 *
 * @param pause the minimum pause after each write, except before the last, in milliseconds
 */
export function newWriter(write: () => Promise<void>, pause = 0) {
  let writing: Promise<void> | undefined
  let isRequested = false
  let flush = new AbortController()
  let trouble: unknown

  const loop = async (): Promise<void> => {
    do {
      isRequested = false
      await write().then(
        () => undefined,
        (error: unknown) => {
          trouble ??= error
        },
      )
      if (pause > 0) await wait(pause, undefined, {signal: flush.signal}).catch(() => undefined)
    } while (isRequested)
    writing = undefined
    flush = new AbortController()
  }
  const request = (): void => {
    isRequested = true
    writing ??= loop()
  }
  return {
    request,
    failed(error: unknown): void {
      trouble ??= error
    },
    async last(): Promise<void> {
      request()
      flush.abort()
      await writing
    },
    /** Returns the first error since the last call, once. */
    takeTrouble(): unknown {
      const error = trouble
      trouble = undefined
      return error
    },
  }
}
