import type {Cluster} from '../../../cluster/cluster.ts'
import {hasChanges, type Plan} from '../../../plan/plan.ts'
import type {PlanScope} from '../../../plan/scope.ts'
import {type ObservedPlan, observedPlan} from '../../plan.ts'
import type {Prepared} from '../../preparation/prepare.ts'
import {awaitOrphans, orphanedReleases} from './await-orphans.ts'
import {inTurn, type Turn} from './in-turn.ts'

/** The plan that is to be run; see `settled`. Throws as `plan`, and `KK_PENDING`. */
export async function settledPlan(
  prepared: Prepared,
  cluster: Cluster,
  {scope, ...settling}: Turn & {readonly scope: PlanScope},
): Promise<ObservedPlan> {
  return settled(cluster, () => observedPlan(prepared, cluster, scope), settling)
}

/**
 * A plan that no other run at work undermines; see `inTurn`. Nor does a helm of a dead run: the plan is made again when one
 * had to be waited for, and when one that worked before it was made is gone after, for the plan may have read its release
 * before that helm wrote. Throws `KK_PENDING`.
 */
export async function settled<T extends {readonly plan: Plan}>(
  cluster: Pick<Cluster, 'leases' | 'lease' | 'lastRecord' | 'now'>,
  observe: () => Promise<T>,
  {waits, say}: Turn,
): Promise<T> {
  for (;;) {
    const atWork = waits ? await orphanedReleases(cluster) : []
    const observed = await inTurn(cluster, observe, {waits, say})
    if (!waits || !hasChanges(observed.plan)) return observed
    const releases = new Set(observed.plan.actions.map(({release}) => release))
    const waited = await awaitOrphans(cluster, {isConcerned: ({release}) => releases.has(release), say})
    if (!waited && !atWork.some((release) => releases.has(release))) return observed
  }
}
