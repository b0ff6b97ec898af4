/** The parts of Kubernetes' objects that the gate reads, as the API hands them out. */
interface Metadata {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly ownerReferences?: readonly object[]
}

export interface Observed {
  readonly kind?: string
  readonly metadata: Metadata
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  /** The generation of the object that the condition is about; many controllers write it only here. */
  readonly observedGeneration?: number
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

interface TerminatedState {
  readonly exitCode: number
  readonly reason?: string
  readonly message?: string
}

export interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly started?: boolean
  readonly restartCount?: number
  readonly state?: {
    readonly waiting?: {readonly reason?: string; readonly message?: string}
    readonly running?: object
    readonly terminated?: TerminatedState
  }
  readonly lastState?: {readonly terminated?: TerminatedState}
}

interface Container {
  readonly name: string
  /** `Always` marks a sidecar among the init containers. */
  readonly restartPolicy?: string
}

export interface PodSpec {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly {readonly persistentVolumeClaim?: {readonly claimName: string}}[]
}

export interface Pod extends Observed {
  readonly spec?: PodSpec
  readonly status?: {
    readonly phase?: string
    readonly reason?: string
    readonly message?: string
    readonly conditions?: readonly Condition[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

export interface ObservedClaim extends Observed {
  readonly spec?: {readonly storageClassName?: string}
  readonly status?: {readonly phase?: string}
}

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

/** The pods and claims in the namespace of an object. */
export interface Surroundings {
  readonly pods: readonly Pod[]
  claim(name: string): ObservedClaim | undefined
}

/** Whether a Job has completed, or a pod succeeded. */
export function hasCompleted(object: Observed): boolean {
  const {status} = object as Pod
  return (
    status?.phase === 'Succeeded' || findCondition({...(status && {status})}, 'Complete')?.status === 'True'
  )
}

export function findCondition(
  object: {readonly status?: {readonly conditions?: readonly Condition[]}},
  type: string,
): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type)
}
