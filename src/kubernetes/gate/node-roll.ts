/** The progress of a DaemonSet whose pods are replaced node by node. */
export interface NodeRoll {
  /** E.g. `DaemonSet/libvirt-libvirt`. */
  readonly set: string
  readonly namespace: string
  /** The number of nodes that should have a pod. */
  readonly nodes: number
  /** The number of pods of the newest template that are ready. */
  readonly ready: number
  /** The pods of an older template, in the order of their replacement. */
  readonly outdated: readonly OutdatedPod[]
  /** Whether the next pod may be deleted: each node has a pod, and those of the newest template are ready. */
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

/** The fields of an object that decide how its pods are replaced. */
interface Rollable {
  readonly kind: string
  readonly metadata: {readonly annotations?: Readonly<Record<string, string>>}
  readonly spec?: unknown
}

/**
 * With the value `node-by-node` on an `OnDelete` DaemonSet: kk replaces its pods in sequence, each after the
 * previous is ready.
 */
export const ROLL = 'kk.openstack.org/roll'

/** Whether an object requests that kk replaces its pods node by node. */
export function isRolledByNode({kind, metadata, spec}: Rollable): boolean {
  const {updateStrategy} = (spec ?? {}) as {readonly updateStrategy?: {readonly type?: string}}
  return (
    kind === 'DaemonSet' &&
    metadata.annotations?.[ROLL] === 'node-by-node' &&
    updateStrategy?.type === 'OnDelete'
  )
}
