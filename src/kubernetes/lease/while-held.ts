import type {Cluster} from '../cluster.ts'
import type {HeldLease} from './leases.ts'

/**
 * Returns a cluster whose `objects` refuse to write after another process may have taken the Lease, because
 * the state of this process may be stale by then. A write throws `KK_LEASE_LOST`.
 */
export function whileHeld(cluster: Cluster, lease: Pick<HeldLease, 'expectHeld'>): Cluster {
  const {objects} = cluster
  const onlyWhileHeld =
    <A extends readonly unknown[], R>(write: (...parameters: A) => Promise<R>) =>
    async (...parameters: A): Promise<R> => {
      lease.expectHeld()
      return write(...parameters)
    }
  const {apply, merge, delete: remove} = objects
  return {
    ...cluster,
    objects: {
      ...objects,
      apply: onlyWhileHeld(apply),
      merge: onlyWhileHeld(merge),
      delete: onlyWhileHeld(remove),
    },
  }
}
