import {asKkError, KkError} from '../../base/errors.ts'
import type {Action} from '../../plan/plan.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/** What the members of a group settle before one of them goes. */
export interface Agreement {
  /**
   * Makes sure that a member may go, and waits until the others have made sure of theirs. Throws what `check` throws; or,
   * when another may not go, why it stays.
   */
  agree(release: ReleaseId, check: () => Promise<void>): Promise<void>
  /** A member that has failed lets no other go. */
  failed(release: ReleaseId, error: unknown): void
}

/** How the removals of a run agree: the members of a group need each other, so all of them go or none. */
export function newAgreement(actions: readonly Pick<Action, 'release' | 'kind' | 'group'>[]): Agreement {
  const going = actions.filter(({kind}) => kind === 'remove')
  const consents = new Map(going.map(({release}) => [release, Promise.withResolvers<void>()]))
  const groupOf = new Map(going.map(({release, group}) => [release, group]))
  // Whoever does not ask need not hear of it.
  for (const {promise} of consents.values()) promise.catch(() => undefined)

  return {
    async agree(release, check) {
      await check()
      consents.get(release)?.resolve()
      for (const other of groupOf.get(release) ?? []) {
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
    `${releaseName(release)} stays, for ${releaseName(other)}, which needs it, cannot go: ${message}`,
    {
      cause: error,
      ...(hint === undefined ? {} : {hint}),
    },
  )
}
