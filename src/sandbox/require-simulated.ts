import {KkError} from '../base/errors.ts'
import {NODE_NAME} from './sandbox.ts'

/**
 * Throws `KK_SANDBOX` for the name of the all-in-one node, whose start and removal involve more than a
 * sandbox's.
 */
export function requireSimulated(name: string): void {
  if (name !== NODE_NAME) return
  throw new KkError('KK_SANDBOX', `${NODE_NAME} is the all-in-one node, not a sandbox with simulated pods`, {
    hint: 'start it with "kk aio up", stop it with "kk aio down"',
  })
}
