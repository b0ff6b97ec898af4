import {asKkError, KkError} from '../../base/errors.ts'
import type {Action} from '../../plan/plan.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/** The agreement of the members of a group before one of them is removed. */
export interface Agreement {
  /**
   * Checks that a member may be removed, and waits until all others have passed their check. Throws the
   * errors of `check`, or the reason why another member may not be removed.
   */
  agree(release: ReleaseId, check: () => Promise<void>): Promise<void>
  /** Prevents the removal of all other members after one member has failed. */
  failed(release: ReleaseId, error: unknown): void
}

/**
 * Returns the agreement of a run's removals: the members of a group need each other, so all are removed or
 * none.
 */
export function newAgreement(actions: readonly Pick<Action, 'release' | 'kind' | 'group'>[]): Agreement {
  const removals = actions.filter(({kind}) => kind === 'remove')
  const consents = new Map(removals.map(({release}) => [release, Promise.withResolvers<void>()]))
  const groupByRelease = new Map(removals.map(({release, group}) => [release, group]))
  // A rejection is not unhandled if no other member waits for it.
  for (const {promise} of consents.values()) promise.catch(() => undefined)

  return {
    async agree(release, check) {
      await check()
      consents.get(release)?.resolve()
      for (const other of groupByRelease.get(release) ?? []) {
        await consents.get(other)?.promise.catch((error: unknown) => {
          throw staysWith(other, release, error)
        })
      }
    },
    failed: (release, error) => consents.get(release)?.reject(error),
  }
}

function staysWith(other: ReleaseId, release: ReleaseId, error: unknown): KkError {
  const {code, message, hint} = asKkError(error)
  return new KkError(
    code,
    `${releaseName(release)} stays because ${releaseName(other)}, which needs it, cannot be removed: ${message}`,
    {
      cause: error,
      ...(hint === undefined ? {} : {hint}),
    },
  )
}
