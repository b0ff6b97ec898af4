import type {Cluster, StoredRelease} from '../../cluster/cluster.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import type {Plan} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'

/** How many records are read at once. */
const READERS = 8

/**
 * What an upgrade is compared with, by release: its last revision and, where that failed, the one that is deployed, too,
 * for nobody knows which of the two runs. Only of releases that a plan upgrades.
 */
export async function previousRevisions(
  plan: Plan,
  cluster: Pick<Cluster, 'stored' | 'revisions'>,
): Promise<ReadonlyMap<ReleaseId, readonly StoredRelease[]>> {
  const upgrades = plan.actions.filter(({kind}) => kind === 'upgrade')
  const previous = await mapParallel(
    upgrades,
    READERS,
    async ({release}) => [release, await beforeOf(release, cluster)] as const,
  )
  return new Map(previous)
}

async function beforeOf(
  release: ReleaseId,
  cluster: Pick<Cluster, 'stored' | 'revisions'>,
): Promise<readonly StoredRelease[]> {
  const last = await cluster.stored(release)
  if (!last || last.status === 'deployed') return last ? [last] : []
  const deployed = (await cluster.revisions(release)).findLast(({status}) => status === 'deployed')
  const stored = deployed && (await cluster.stored(release, deployed.revision))
  return stored ? [last, stored] : [last]
}
