import type {Leases} from '../../kubernetes/lease/leases.ts'
import {OPERATION} from '../../kubernetes/lease/operation.ts'
import {assessLease} from '../../kubernetes/lease/view.ts'
import type {Records} from '../../kubernetes/records/records.ts'

/**
 * Deletes the Leases of removed releases that killed runs of an environment have left: no later run takes
 * them over. A Lease that cannot be deleted stays without harm.
 */
export async function deleteLeftoverLeases(
  cluster: {readonly leases: Leases; readonly records: Records},
  environment: string,
  holder: string,
): Promise<void> {
  const leases = await cluster.leases.list().catch(() => [])
  const leftovers = leases.filter((lease) => {
    const isDead = lease.holder === undefined || assessLease(lease).isGone
    return lease.operation?.environment === environment && isDead
  })
  for (const {release} of leftovers) {
    try {
      if (await cluster.records.last(release)) continue
      const hold = await cluster.leases.hold(release, holder, 0)
      await hold.annotate({[OPERATION]: null}).finally(() => hold.release())
    } catch {
      // Another process holds it now, or deleting it is forbidden.
    }
  }
}
