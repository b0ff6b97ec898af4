import type {Cluster} from '../../cluster/cluster.ts'
import {hasChanges} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {type ObservedPlan, observedPlan} from '../plan.ts'
import type {Prepared} from '../preparation/prepare.ts'
import {awaitOrphans} from './await-orphans.ts'

interface Settling {
  readonly scope: PlanScope
  /** Whether helms that work on without their kk are waited for. */
  readonly waits: boolean
  readonly say: (line: string) => void
}

/** The plan that is to be run: made again when helms of a dead run had to be waited for. Throws as `plan`, and `KK_PENDING`. */
export async function settledPlan(
  prepared: Prepared,
  cluster: Cluster,
  {scope, waits, say}: Settling,
): Promise<ObservedPlan> {
  for (;;) {
    const observed = await observedPlan(prepared, cluster, scope)
    if (!waits || !hasChanges(observed.plan)) return observed
    const releases = new Set(observed.plan.actions.map(({release}) => release))
    const waited = await awaitOrphans(cluster, {isConcerned: ({release}) => releases.has(release), say})
    if (!waited) return observed
  }
}
