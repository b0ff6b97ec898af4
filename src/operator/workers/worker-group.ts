import {createHash} from 'node:crypto'
import {LEASES} from '../../kubernetes/api/resources.ts'
import {KK_NAMESPACE, leaseName} from '../../kubernetes/lease/lease.ts'
import type {HeldLease, Leases} from '../../kubernetes/lease/leases.ts'
import {isLive} from '../../kubernetes/lease/view.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {ReleaseId} from '../../release.ts'
import {groupId} from './shards.ts'

/** The workers that serve the same shards. */
export interface WorkerGroup {
  /** The Lease of this worker. */
  readonly lease: HeldLease
  /** Returns the holders with a valid Lease, including this worker. */
  live(): Promise<readonly string[]>
}

/** Leases that expired longer ago are deleted. */
const LEASE_RETENTION_MS = 600_000

/**
 * Joins the workers that serve the same shards: each holds its own Lease, named like the Lease of a release,
 * and finds the others by their Leases.
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
      const liveMembers = all.filter((each) => isLive(each, now))
      for (const {release, runsOut = 0} of all)
        if (runsOut + LEASE_RETENTION_MS < now)
          await cluster.objects.delete(LEASES, {namespace: KK_NAMESPACE, name: leaseName(release)})
      return [...new Set([holder, ...liveMembers.map((each) => each.holder!)])]
    },
  }
}
