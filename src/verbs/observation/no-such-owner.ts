import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'

/**
 * Returns the error for an environment without releases or runs on the cluster, with the names of those that
 * have some.
 */
export function noSuchOwner(owner: string, what: 'release' | 'run', owners: Iterable<string>): KkError {
  const names = [...new Set(owners)].sort()
  const close = suggest(owner, names)
  const hint = names.length === 0 ? 'kk has deployed nothing there' : `there are: ${names.join(', ')}`
  return new KkError('KK_USAGE', `no ${what} on the cluster belongs to an environment "${owner}"`, {
    hint: close === undefined ? hint : `did you mean ${close}?`,
  })
}
