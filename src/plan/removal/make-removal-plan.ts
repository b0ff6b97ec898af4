import {why} from '../../graph/why.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {Plan} from '../plan.ts'
import {type Uses, usersOf} from '../uses/uses.ts'
import {hasDependents, mayHaveDependents, notRemovable, stillPending} from './refusals.ts'
import {removalActions} from './removal-actions.ts'

export interface RemovalInputs {
  readonly environment: string
  readonly file: string
  readonly cluster: Plan['cluster']
  readonly uses: Uses
  /** The releases to remove; all of them are on the cluster. */
  readonly releases: readonly ReleaseId[]
  /** Remove their users too, if they belong to this environment. */
  readonly withDependents: boolean
  readonly isProtected: (release: ReleaseId) => boolean
}

/**
 * Returns the plan that removes releases, dependents first. Throws `KK_HAS_DEPENDENTS` while a remaining
 * release uses them or may use them, `KK_FOREIGN` and `KK_OWNER` for releases of others, `KK_HANDED_OVER`,
 * `KK_PENDING`.
 */
export function makeRemovalPlan(inputs: RemovalInputs): Plan<'remove'> {
  const {environment, file, cluster, uses, withDependents, isProtected} = inputs
  const named = new Set(inputs.releases)
  for (const release of named) {
    const refusal = notRemovable(uses, release, environment)
    if (refusal) throw refusal
  }

  const users = usersOf(uses, named)
  const isOfOthers = (release: ReleaseId) => uses.observed.get(release)?.labels?.owner !== environment
  const blockers = withDependents ? users.filter(isOfOthers) : users
  if (blockers.length > 0) throw hasDependents({uses, releases: named, users: blockers, environment})
  if (uses.unknown.length > 0) throw mayHaveDependents(named, uses.unknown)

  const releases = new Set([...named, ...users])
  for (const release of releases) {
    const refusal = notRemovable(uses, release, environment) ?? stillPending(uses, release)
    if (refusal) throw refusal
  }
  const describeReason = (release: ReleaseId) =>
    named.has(release) ? 'named' : `requires ${required(uses, release, named)}`
  const actions = removalActions(uses, {releases, describeReason, isProtected})
  return {environment, file, cluster, actions, bystanders: []}
}

function required({graph}: Uses, user: ReleaseId, named: ReadonlySet<ReleaseId>): string {
  const steps = [...named].flatMap((release) => why(graph, user, release)?.[0] ?? [])
  return [...new Set(steps.map(({to}) => releaseName(to)))].join(', ')
}
