import {mapParallel} from '../base/parallel.ts'
import {lastDeployed, type Records} from '../kubernetes/records/records.ts'
import type {StoredRelease} from '../kubernetes/records/release-record.ts'
import type {Action, Plan} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'

/**
 * Returns the revisions that each upgrade of a plan is compared with, and each install over the leftovers of
 * an earlier one: the last revision and, if that failed, also the deployed one, because either may be
 * running.
 */
export async function previousRevisions(
  plan: Plan,
  cluster: {readonly records: Records},
): Promise<ReadonlyMap<ReleaseId, readonly StoredRelease[]>> {
  const previous = await mapParallel(
    plan.actions.filter(changesRecord),
    async ({release}) => [release, await comparedRevisions(release, cluster.records)] as const,
  )
  return new Map(previous.filter(([, [last]]) => last?.status !== 'uninstalled'))
}

/** Returns true for an upgrade, and for an install over an earlier revision. */
function changesRecord({kind, revision}: Action): boolean {
  return kind === 'upgrade' || (kind === 'install' && revision > 0)
}

async function comparedRevisions(release: ReleaseId, records: Records): Promise<readonly StoredRelease[]> {
  const last = await records.stored(release)
  if (!last || last.status === 'deployed') return last ? [last] : []
  const stored = await lastDeployed(records, release)
  return stored ? [last, stored] : [last]
}
