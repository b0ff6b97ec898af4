import type {Leases} from '../../kubernetes/lease/leases.ts'
import {OPERATION} from '../../kubernetes/lease/operation.ts'
import {assessLease} from '../../kubernetes/lease/view.ts'
import type {Records} from '../../kubernetes/records/records.ts'

/**
 * Deletes the Leases that killed runs of an environment have left of releases that are gone: no later run takes them over. One
 * that cannot be deleted stays, as evidence of nothing.
 */
export async function deleteLeftoverLeases(
  cluster: {readonly leases: Leases; readonly records: Records},
  environment: string,
  holder: string,
): Promise<void> {
  const leases = await cluster.leases.list().catch(() => [])
  const left = leases.filter((lease) => {
    const isDead = lease.holder === undefined || assessLease(lease).isGone
    return lease.operation?.environment === environment && isDead
  })
  for (const {release} of left) {
    try {
      if (await cluster.records.last(release)) continue
      const held = await cluster.leases.hold(release, holder, 0)
      await held.annotate({[OPERATION]: null}).finally(() => held.release())
    } catch {
      // Somebody else has it now, or who asks may not.
    }
  }
}
