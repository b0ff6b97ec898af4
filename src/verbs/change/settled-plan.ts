import type {Cluster} from '../../cluster/cluster.ts'
import {hasChanges, type Plan} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {type ObservedPlan, observedPlan} from '../plan.ts'
import type {Prepared} from '../preparation/prepare.ts'
import {awaitOrphans, orphanedReleases} from './await-orphans.ts'

interface Settling {
  /** Whether helms that work on without their kk are waited for. */
  readonly waits: boolean
  readonly say: (line: string) => void
}

/** The plan that is to be run; see `settled`. Throws as `plan`, and `KK_PENDING`. */
export async function settledPlan(
  prepared: Prepared,
  cluster: Cluster,
  {scope, ...settling}: Settling & {readonly scope: PlanScope},
): Promise<ObservedPlan> {
  return settled(cluster, () => observedPlan(prepared, cluster, scope), settling)
}

/**
 * A plan that no helm of a dead run undermines: it is made again when one had to be waited for, and when one that worked
 * before it was made is gone after, for the plan may have read its release before that helm wrote. Throws `KK_PENDING`.
 */
export async function settled<T extends {readonly plan: Plan}>(
  cluster: Pick<Cluster, 'leases' | 'now'>,
  observe: () => Promise<T>,
  {waits, say}: Settling,
): Promise<T> {
  for (;;) {
    const atWork = waits ? await orphanedReleases(cluster) : []
    const observed = await observe()
    if (!waits || !hasChanges(observed.plan)) return observed
    const releases = new Set(observed.plan.actions.map(({release}) => release))
    const waited = await awaitOrphans(cluster, {isConcerned: ({release}) => releases.has(release), say})
    if (!waited && !atWork.some((release) => releases.has(release))) return observed
  }
}
