import {createHash} from 'node:crypto'
import {LEASES} from '../../kubernetes/api/resources.ts'
import {KK_NAMESPACE, leaseName} from '../../kubernetes/lease/lease.ts'
import type {HeldLease, Leases} from '../../kubernetes/lease/leases.ts'
import {isLive} from '../../kubernetes/lease/view.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {ReleaseId} from '../../release.ts'
import {groupId} from './shards.ts'

/** The child processes that serve the same shards. */
export interface WorkerGroup {
  /** This process's own place among them. */
  readonly lease: HeldLease
  /** The holders of those that live, this process among them. */
  live(): Promise<readonly string[]>
}

/** A Lease that ran out so long ago is of nobody any more; in milliseconds. */
const LEASE_RETENTION_MS = 600_000

/**
 * Joins the processes that serve the same shards: each holds a Lease of its own, as that of the release that it would be,
 * and sees the others by theirs.
 */
export async function joinWorkerGroup(
  cluster: {readonly leases: Leases; readonly objects: Objects},
  holder: string,
  shards: readonly string[],
): Promise<WorkerGroup> {
  const prefix = `${KK_NAMESPACE}/kk-operator-${groupId(shards)}-`
  const own = createHash('sha256').update(holder).digest('hex').slice(0, 10)
  const lease = await cluster.leases.hold(`${prefix}${own}` as ReleaseId, holder, Number.POSITIVE_INFINITY)
  return {
    lease,
    async live() {
      const all = (await cluster.leases.list()).filter(({release}) => release.startsWith(prefix))
      const now = cluster.leases.now()
      const living = all.filter((each) => isLive(each, now))
      for (const {release, runsOut = 0} of all)
        if (runsOut + LEASE_RETENTION_MS < now)
          await cluster.objects.delete(LEASES, {namespace: KK_NAMESPACE, name: leaseName(release)})
      return [...new Set([holder, ...living.map((each) => each.holder!)])]
    },
  }
}
