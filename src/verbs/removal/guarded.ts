import type {Cluster} from '../../cluster/cluster.ts'
import {liveApprovals} from '../../cluster/guard/parameters.ts'
import {KkError} from '../../errors.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/**
 * Throws `KK_UNCONFIRMED` for releases that the cluster's guard would not let go: helm would take away what holds no
 * data, and then be denied the rest. Where this user may not see the guard, helm finds out.
 */
export async function expectLetGo(
  cluster: Pick<Cluster, 'guard'>,
  releases: readonly ReleaseId[],
  now: number,
): Promise<void> {
  const parameters = await cluster.guard.parameters().catch(() => undefined)
  if (!parameters) return
  const approved = new Set(liveApprovals(parameters, now).map(({release}) => release))
  const denied = releases.filter((release) => parameters.releases.includes(release) && !approved.has(release))
  if (denied.length === 0) return
  const names = denied.map(releaseName).join(', ')
  throw new KkError(
    'KK_UNCONFIRMED',
    `the guard of this cluster does not let ${names} go; nothing was changed`,
    {
      hint: `approve it first, for a while: kk guard approve ${denied.join(' ')}`,
    },
  )
}
