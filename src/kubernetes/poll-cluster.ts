import {asKkError} from '../base/errors.ts'
import {type Polling, pollUntil} from '../base/poll.ts'

/** Errors of a request that the API server did not answer, or could not serve. */
const UNSERVED: ReadonlySet<string> = new Set(['KK_UNREACHABLE', 'KK_API_SERVER'])

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
      if (!UNSERVED.has(asKkError(error).code) || Date.now() >= polling.deadline) throw error
      return undefined
    }
  }, polling)
}
