import {setTimeout as delay} from 'node:timers/promises'
import {KkError} from '../../../errors.ts'

/** How often a change is made again because somebody else was faster; each time one of them has succeeded. */
const ATTEMPTS = 200
const PAUSE_MILLISECONDS = 20
/** The more often it was too late, the more there are who want to write. */
const LONGEST_PAUSE = 10 * PAUSE_MILLISECONDS

/** Does a change again whenever it meets `KK_STORE_CONFLICT`. Rejects with it only if that never ends. */
export async function untilWritten<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change()
    } catch (error) {
      const conflict = error instanceof KkError && error.code === 'KK_STORE_CONFLICT'
      if (!conflict || attempt === ATTEMPTS) throw error
      await delay(Math.random() * Math.min(attempt * PAUSE_MILLISECONDS, LONGEST_PAUSE))
    }
  }
}
