import {type Polling, pollUntil} from '../base/poll.ts'
import {isUnserved} from './api/api-error.ts'

/**
 * As `pollUntil`, for a `check` of idempotent requests: one that the API server does not serve is repeated
 * until the deadline, and rejects only then.
 */
export async function pollCluster<T>(
  check: () => Promise<T | false | undefined>,
  polling: Polling & {readonly deadline: number},
): Promise<T | undefined> {
  return pollUntil(async () => {
    try {
      return await check()
    } catch (error) {
      if (!isUnserved(error) || Date.now() >= polling.deadline) throw error
      return undefined
    }
  }, polling)
}
