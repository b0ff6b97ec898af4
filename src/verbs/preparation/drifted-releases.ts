import type {Cluster} from '../../cluster/cluster.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {driftReason} from '../../plan/drift/drift-reason.ts'
import type {Action} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import {driftedObjects} from '../observation/drift.ts'

const CANDIDATES: ReadonlySet<string> = new Set(['unchanged', 'relabel', 'await', 'check'])
/** Each reads a record, and eight objects at a time. */
const AT_ONCE = 4

/** Of the actions of a plan that leave a release as it is, those whose objects drifted, with the reason to upgrade them. */
export async function driftedReleases(
  actions: readonly Action[],
  cluster: Pick<Cluster, 'stored' | 'dryApply' | 'scaleTargets'>,
): Promise<ReadonlyMap<ReleaseId, string>> {
  const candidates = actions.filter(({kind}) => CANDIDATES.has(kind))
  const found = await mapParallel(candidates, AT_ONCE, async ({release, revision}) => {
    const stored = await cluster.stored(release, revision)
    return {release, objects: stored ? await driftedObjects(cluster, stored) : []}
  })
  return new Map(
    found.flatMap(({release, objects}) => {
      const reason = driftReason(objects)
      return reason === undefined ? [] : [[release, reason] as const]
    }),
  )
}
