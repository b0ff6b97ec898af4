import {type Allowance, allowedPods} from '../../base/allowance.ts'

/** The progress of a DaemonSet whose pods are replaced node by node. */
export interface NodeRoll {
  /** E.g. `DaemonSet/libvirt-libvirt`. */
  readonly set: string
  readonly namespace: string
  /** The number of nodes that should have a pod, without those that are left behind. */
  readonly nodes: number
  /** The number of pods of the newest template that are ready. */
  readonly ready: number
  /** The pods of an older template that may be deleted, in the order of their replacement. */
  readonly outdated: readonly OutdatedPod[]
  /**
   * How many of them may be deleted now: as many as `ROLL_MAX_UNAVAILABLE` allows, without the nodes that
   * have no ready pod of the newest template yet.
   */
  readonly deletable: number
  /** The nodes that are awaited: they have no pod, or one of the newest template that is not ready. */
  readonly awaited: readonly string[]
  /** Whether each node has a pod, and those of the newest template are ready. */
  readonly isSettled: boolean
}

/** The identity of a pod. */
interface OutdatedPod {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** The node that it runs on. */
  readonly node: string
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

/** On such a DaemonSet: how many nodes may be without a ready pod at a time, `2` or `5%`. Defaults to 1. */
const ROLL_MAX_UNAVAILABLE = 'kk.openstack.org/roll-max-unavailable'

/** Whether an object requests that kk replaces its pods node by node. */
export function isRolledByNode({kind, metadata, spec}: Rollable): boolean {
  const {updateStrategy} = (spec ?? {}) as {readonly updateStrategy?: {readonly type?: string}}
  return (
    kind === 'DaemonSet' &&
    metadata.annotations?.[ROLL] === 'node-by-node' &&
    updateStrategy?.type === 'OnDelete'
  )
}

/** Returns how many of these nodes may be without a ready pod at a time: at least 1. */
export function maxUnavailable({metadata}: Pick<Rollable, 'metadata'>, nodes: number): number {
  const text = metadata.annotations?.[ROLL_MAX_UNAVAILABLE] ?? ''
  const allowance = (text.endsWith('%') ? text : Number(text)) as Allowance
  return Math.max(1, allowedPods(allowance, nodes) || 0)
}
