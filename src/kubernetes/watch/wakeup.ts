import {setImmediate as yieldToEvents} from 'node:timers/promises'

/** A signal that remembers a change until it is waited for, so that no change between two waits is lost. */
export interface Wakeup {
  ring(): void
  /** Resolves after the next ring or after `milliseconds`; several rings count as one. */
  wait(milliseconds: number): Promise<void>
}

/** The longest time that setTimeout takes, in milliseconds. */
const LONGEST = 2 ** 31 - 1

export function wakeup(): Wakeup {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    async wait(milliseconds) {
      if (!rung) await nextRing(milliseconds)
      // Events come in bursts; those that arrived together are handled together.
      await yieldToEvents()
      rung = false
    },
  }

  function nextRing(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, milliseconds), LONGEST))
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
