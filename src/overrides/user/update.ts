import {setTimeout as delay} from 'node:timers/promises'
import {KkError} from '../../errors.ts'
import type {OverrideChange, OverrideStore, StoredOverrides} from './store.ts'

/** How often a change is made again because somebody else was faster; each time one of them has succeeded. */
const ATTEMPTS = 200
const PAUSE_MILLISECONDS = 20
/** The more often it was too late, the more there are who want to write. */
const LONGEST_PAUSE = 10 * PAUSE_MILLISECONDS

type NextOverrides = Pick<OverrideChange, 'userOverrides' | 'secret'>

/**
 * Makes a change from what is stored, and again from what is stored then whenever somebody else was faster, so that no
 * change is lost. Rejects with `KK_STORE_CONFLICT` only if that never ends.
 */
export async function updateOverrides(
  store: Pick<OverrideStore, 'get' | 'put'>,
  of: Pick<OverrideChange, 'name' | 'namespace' | 'who'>,
  next: (current: StoredOverrides | undefined) => NextOverrides,
): Promise<StoredOverrides> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await store.get(of.name, of.namespace)
    try {
      return await store.put({...of, expected: current?.etag, ...next(current)})
    } catch (error) {
      const conflict = error instanceof KkError && error.code === 'KK_STORE_CONFLICT'
      if (!conflict || attempt === ATTEMPTS) throw error
      await delay(Math.random() * Math.min(attempt * PAUSE_MILLISECONDS, LONGEST_PAUSE))
    }
  }
}
