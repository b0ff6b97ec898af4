import {reverse} from '../../graph/graph.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {Plan, UntouchedRelease} from '../plan.ts'
import type {Uses} from '../uses/uses.ts'
import type {RemovalInputs} from './make-removal-plan.ts'
import {mayHaveDependents, stillPending} from './refusals.ts'
import {removalActions} from './removal-actions.ts'

export interface DestroyInputs extends Omit<RemovalInputs, 'releases' | 'withDependents'> {
  /** Protected releases that the user confirmed by name. */
  readonly confirmed: ReadonlySet<ReleaseId>
  /**
   * Limits the removal to these releases, which the environment no longer wants; all others stay, with their
   * requirements.
   */
  readonly unwanted?: ReadonlySet<ReleaseId>
}

/**
 * Returns the plan that removes an environment, dependents first. Releases stay if others use them, if they
 * were handed over to another tool, or if they are protected and were not confirmed by name, and so does all
 * that these require; each is an untouched release with the reason. Throws `KK_HAS_DEPENDENTS` for unreadable
 * records, `KK_PENDING`.
 */
export function makeDestroyPlan(inputs: DestroyInputs): Plan<'remove'> {
  const {environment, file, cluster, uses, isProtected, unwanted} = inputs
  const owned = [...uses.observed.values()]
    .filter(({labels}) => labels?.owner === environment)
    .map(({release}) => release)
    .filter((release) => unwanted === undefined || unwanted.has(release))
  if (owned.length > 0 && uses.unknown.length > 0) throw mayHaveDependents(new Set(owned), uses.unknown)

  const stays = staying(inputs, owned)
  const releases = new Set(owned.filter((release) => !stays.has(release)))
  for (const release of releases) {
    const refusal = stillPending(uses, release)
    if (refusal) throw refusal
  }
  const describeReason = () => (unwanted ? 'no longer wanted' : `of the environment ${environment}`)
  const bystanders = [...stays].map(([release, note]): UntouchedRelease => ({release, state: 'kept', note}))
  return {
    environment,
    file,
    cluster,
    actions: removalActions(uses, {releases, describeReason, isProtected}),
    bystanders: bystanders.sort((a, b) => (a.release < b.release ? -1 : 1)),
  }
}

/** Returns the releases that must stay, with the reason. */
function staying(
  {uses, isProtected, confirmed, unwanted}: DestroyInputs,
  owned: readonly ReleaseId[],
): ReadonlyMap<ReleaseId, string> {
  const ownReleases = new Set(owned)
  const users = reverse(uses.graph).requirements
  const exportTool = (release: ReleaseId) => uses.observed.get(release)!.labels?.exportedTo
  const stays = new Map<ReleaseId, string>()
  for (const release of owned) {
    const outsideUsers = users.get(release)!.filter(({to}) => !ownReleases.has(to))
    if (outsideUsers.length > 0)
      stays.set(release, `used by ${outsideUsers.map(({to}) => userText(uses, to)).join(', ')}`)
    else if (exportTool(release) !== undefined) stays.set(release, `handed over to ${exportTool(release)}`)
    else if (isProtected(release) && !confirmed.has(release))
      stays.set(
        release,
        unwanted
          ? `protected: it is removed only by kk remove ${releaseName(release)} --confirm ${releaseName(release)}`
          : `protected: it is removed only with --confirm ${releaseName(release)}`,
      )
    else if (uses.observed.get(release)!.unreadable !== undefined)
      stays.set(release, 'its record cannot be read, so helm does not see it')
  }
  for (const [release] of stays) {
    for (const {to} of uses.graph.requirements.get(release)!) {
      if (ownReleases.has(to) && !stays.has(to))
        stays.set(to, `required by ${releaseName(release)}, which stays`)
    }
  }
  return stays
}

function userText({observed}: Uses, user: ReleaseId): string {
  const owner = observed.get(user)?.labels?.owner
  return `${user} (${owner === undefined ? 'not installed by kk' : `environment "${owner}"`})`
}
