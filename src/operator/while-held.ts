import type {Cluster, HeldLease} from '../cluster/cluster.ts'

/**
 * Returns ports whose `cluster.objects` write nothing once another process may have taken the Lease: what this one knows may be
 * old by then. A write throws `KK_LEASE_LOST`.
 */
export function whileHeld<P extends {readonly cluster: Cluster}>(
  ports: P,
  {expectHeld}: Pick<HeldLease, 'expectHeld'>,
): P {
  const {objects} = ports.cluster
  const held =
    <A extends readonly unknown[], R>(write: (...words: A) => Promise<R>) =>
    async (...words: A): Promise<R> => {
      expectHeld()
      return write(...words)
    }
  const {apply, merge, delete: remove} = objects
  const fenced = {...objects, apply: held(apply), merge: held(merge), delete: held(remove)}
  return {...ports, cluster: {...ports.cluster, objects: fenced}}
}
