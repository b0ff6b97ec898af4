import {KkError} from '../../base/errors.ts'
import type {Guard} from '../../kubernetes/guard/guard.ts'
import {liveApprovals} from '../../kubernetes/guard/parameters.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/**
 * Throws `KK_UNCONFIRMED` for releases whose deletion the cluster's guard would deny: helm would delete the
 * objects without data and fail at the rest. If this user may not read the guard, helm's error reports it.
 */
export async function checkGuard(guard: Guard, releases: readonly ReleaseId[], now: number): Promise<void> {
  const parameters = await guard.parameters().catch(() => undefined)
  if (!parameters) return
  const approvals = liveApprovals(parameters, now)
  const approved = new Set(approvals.flatMap(({objects}) => objects.map(({uid}) => uid)))
  const named = new Set(approvals.map(({release}) => release))
  const guarded = releases.filter((release) => parameters.releases.includes(release))
  const guardedObjects = await Promise.all(
    guarded.map((release) => guard.objects(release, {parameters, namespace: false}).catch(() => [])),
  )
  // Claims stay, or are deleted separately. An object created after the approval, such as the record of a new
  // revision, is not approved.
  const denied = guarded.filter(
    (release, index) =>
      !named.has(release) ||
      guardedObjects[index]!.some(({kind, uid}) => kind !== 'PersistentVolumeClaim' && !approved.has(uid)),
  )
  if (denied.length === 0) return
  const names = denied.map(releaseName).join(', ')
  throw new KkError(
    'KK_UNCONFIRMED',
    `the guard of this cluster denies the deletion of ${names}; nothing was changed`,
    {hint: `approve it first, for a while: kk guard approve ${denied.join(' ')}`},
  )
}
