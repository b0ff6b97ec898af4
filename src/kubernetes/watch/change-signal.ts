import {setImmediate as yieldToEvents} from 'node:timers/promises'

/** A signal that keeps a notification until the next wait, so that no change between two waits is lost. */
export interface ChangeSignal {
  notify(): void
  /** Resolves after the next notification or after `milliseconds`; several notifications count as one. */
  wait(milliseconds: number): Promise<void>
}

/** The longest delay of setTimeout, in milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export function changeSignal(): ChangeSignal {
  let isNotified = false
  let wake: (() => void) | undefined
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    async wait(milliseconds) {
      if (!isNotified) await nextNotification(milliseconds)
      // Events come in bursts; those that arrived together are handled together.
      await yieldToEvents()
      isNotified = false
    },
  }

  function nextNotification(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(Math.max(0, milliseconds), MAX_TIMEOUT_MS))
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
