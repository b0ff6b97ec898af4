import {setTimeout as wait} from 'node:timers/promises'

/**
 * Writes one at a time; what is asked for meanwhile is one more write.
 *
 * @param pause how long nothing is written after each write, in milliseconds, but for the last
 */
export function newWriter(write: () => Promise<void>, pause = 0) {
  let writing: Promise<void> | undefined
  let again = false
  let hurry = new AbortController()
  let trouble: unknown

  const loop = async (): Promise<void> => {
    do {
      again = false
      await write().then(
        () => undefined,
        (error: unknown) => {
          trouble ??= error
        },
      )
      if (pause > 0) await wait(pause, undefined, {signal: hurry.signal}).catch(() => undefined)
    } while (again)
    writing = undefined
    hurry = new AbortController()
  }
  const request = (): void => {
    again = true
    writing ??= loop()
  }
  return {
    request,
    failed(error: unknown): void {
      trouble ??= error
    },
    async last(): Promise<void> {
      request()
      hurry.abort()
      await writing
    },
    /** What went wrong since this was asked last, once. */
    takeTrouble(): unknown {
      const taken = trouble
      trouble = undefined
      return taken
    },
  }
}
