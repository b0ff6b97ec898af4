import {setTimeout as delay} from 'node:timers/promises'
import {isLocked} from './sqlite-errors.ts'

const PATIENCE_MILLISECONDS = 15_000
const PAUSE_MILLISECONDS = 20

/** Again and again while another connection, of this process or another, holds the lock. */
export async function whileLocked<T>(body: () => T | Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE_MILLISECONDS
  while (true) {
    try {
      return await body()
    } catch (error) {
      if (!isLocked(error) || Date.now() > until) throw error
      await delay(Math.random() * PAUSE_MILLISECONDS)
    }
  }
}
