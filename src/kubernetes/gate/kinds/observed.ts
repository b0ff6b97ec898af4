import type * as apps from 'kubernetes-types/apps/v1.js'
import type * as core from 'kubernetes-types/core/v1.js'
import type * as meta from 'kubernetes-types/meta/v1.js'
import type {DeepReadonly, Metadata, Served} from '../../api/served.ts'

/** An object of any kind, as the API hands it out. */
export interface Observed {
  readonly kind?: string
  readonly metadata: Metadata
}

/** The fields that the conditions of all kinds have. */
export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  /** The generation of the object that the condition is about; many controllers write it only here. */
  readonly observedGeneration?: number
}

export type LabelSelector = DeepReadonly<meta.LabelSelector>
export type ContainerStatus = DeepReadonly<core.ContainerStatus>
export type PodSpec = Partial<DeepReadonly<core.PodSpec>>
export type Pod = Served<core.Pod>
export type Node = Served<core.Node>
/** The nodes of a cluster, by name. */
export type Nodes = ReadonlyMap<string, Node>
export type DaemonSet = Served<apps.DaemonSet>
export type ObservedClaim = Served<core.PersistentVolumeClaim>

/** The fields that all workloads have. */
export interface Workload extends Observed {
  readonly spec?: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly selector?: LabelSelector
    readonly template?: {readonly spec?: PodSpec}
  }
  readonly status?: {readonly observedGeneration?: number; readonly conditions?: readonly Condition[]}
}

/** The pods and claims in the namespace of an object, and the nodes. */
export interface NamespaceObjects {
  readonly pods: readonly Pod[]
  /** The nodes of the cluster; undefined if they may not be read, and for objects that do not need them. */
  readonly nodes?: Nodes
  /** The time by the cluster's clock, in milliseconds since the epoch. */
  readonly now: number
  claim(name: string): ObservedClaim | undefined
}

/** Whether a Job has completed, or a pod succeeded. */
export function hasCompleted(object: Observed): boolean {
  const {status} = object as Pod
  return (
    status?.phase === 'Succeeded' || findCondition({...(status && {status})}, 'Complete')?.status === 'True'
  )
}

/** Whether a pod is ready, and stays. */
export function isReady(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && findCondition(pod, 'Ready')?.status === 'True'
}

export function findCondition(
  object: {readonly status?: {readonly conditions?: readonly Condition[]}},
  type: string,
): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type)
}
