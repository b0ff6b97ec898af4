import type {Cluster} from '../cluster.ts'
import type {HeldLease} from './leases.ts'

/**
 * Returns a cluster whose `objects` write nothing once another process may have taken the Lease: what this one knows may be old by
 * then. A write throws `KK_LEASE_LOST`.
 */
export function whileHeld(cluster: Cluster, lease: Pick<HeldLease, 'expectHeld'>): Cluster {
  const {objects} = cluster
  const held =
    <A extends readonly unknown[], R>(write: (...words: A) => Promise<R>) =>
    async (...words: A): Promise<R> => {
      lease.expectHeld()
      return write(...words)
    }
  const {apply, merge, delete: remove} = objects
  return {...cluster, objects: {...objects, apply: held(apply), merge: held(merge), delete: held(remove)}}
}
