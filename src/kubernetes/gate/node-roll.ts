/** How far a DaemonSet is whose pods are replaced node by node. */
export interface NodeRoll {
  /** E.g. `DaemonSet/libvirt-libvirt`. */
  readonly set: string
  readonly namespace: string
  /** The number of nodes that should have a pod. */
  readonly nodes: number
  /** The number of pods of the newest template that are ready. */
  readonly ready: number
  /** The pods of an older template, in the order in which they are to go. */
  readonly outdated: readonly OutdatedPod[]
  /** Whether the next may go: each node has a pod, and those of the newest template are ready. */
  readonly isSettled: boolean
}

/** The identity of a pod. */
interface OutdatedPod {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** An object, as far as it says how its pods are replaced. */
interface Rollable {
  readonly kind: string
  readonly metadata: {readonly annotations?: Readonly<Record<string, string>>}
  readonly spec?: unknown
}

/** With the value `node-by-node`, on a DaemonSet that is `OnDelete`: kk replaces its pods, each when the one before is ready. */
export const ROLL = 'kk.openstack.org/roll'

/** Whether kk replaces the pods of an object node by node, as it asks for itself. */
export function isRolledByNode({kind, metadata, spec}: Rollable): boolean {
  const {updateStrategy} = (spec ?? {}) as {readonly updateStrategy?: {readonly type?: string}}
  return (
    kind === 'DaemonSet' &&
    metadata.annotations?.[ROLL] === 'node-by-node' &&
    updateStrategy?.type === 'OnDelete'
  )
}
