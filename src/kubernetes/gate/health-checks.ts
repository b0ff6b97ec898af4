import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {Cause, Health, PassedHealth} from './health.ts'
import type {NodeRoll} from './node-roll.ts'
import type {ScaleTarget} from './scale-targets.ts'

export interface GateOptions {
  readonly namespace: string
  /** The objects that were applied; those of kinds without a notion of health are ignored. */
  readonly objects: readonly KubernetesObject[]
  /** Milliseconds since the epoch. */
  readonly deadline: number
  readonly signal?: AbortSignal
  /** Called whenever the reason changes. */
  readonly onProgress?: (blames: readonly Cause[]) => void
  /** Masks secrets in container logs and events; those of the Secrets among `objects` are masked anyway. */
  readonly redact?: (text: string) => string
  /** Whether the gate of this revision has passed, so that its Jobs that are gone were seen to complete. */
  readonly hasPassed?: boolean
}

export interface HookWatchOptions {
  readonly namespace: string
  /** The objects of the release: hooks that are Jobs or Pods are watched, and other Jobs that may vanish. */
  readonly objects: readonly KubernetesObject[]
  /** The events whose hooks must be seen to complete, though helm has ended well: helm 3 takes a deletion for their end. */
  readonly mustShow?: readonly string[]
  readonly signal?: AbortSignal
  readonly onProgress?: (blames: readonly Cause[]) => void
  readonly redact?: (text: string) => string
}

/** A watch of a release's hooks while helm waits for them. */
export interface HookWatch {
  /** Returns the present causes, with log lines; of a hook that helm has deleted meanwhile, the last cause. */
  blames(): Promise<readonly Cause[]>
  /** Returns a cause for each hook that was deleted before it had ended, and not made again. */
  deleted(): readonly Cause[]
  /** Returns, when helm has ended well, a cause for each hook that was not seen to complete. */
  incomplete(): Promise<readonly Cause[]>
  stop(): void
}

/** The health of applied objects, and the gate that waits for it. Every function throws as `Cluster`'s do. */
export interface HealthChecks {
  /** Returns the health of these objects now; `hasPassed` as in `GateOptions`. */
  of(
    namespace: string,
    objects: readonly KubernetesObject[],
    options?: Pick<GateOptions, 'hasPassed'>,
  ): Promise<Health>
  /**
   * Resolves when the gate has passed. Throws `KK_UNHEALTHY` with the pod that caused it, on failure or at the deadline,
   * `KK_UNREACHABLE` if the cluster does not answer then.
   */
  gate(options: GateOptions): Promise<PassedHealth>
  /**
   * Watches hooks from now on, and Jobs whose end the gate must know: objects that existed before do not count. Never
   * throws for objects that it cannot read.
   */
  watchHooks(options: HookWatchOptions): Promise<HookWatch>
  /** Returns the lines that a container of a pod has logged so far. */
  log(namespace: string, pod: string, container: string): Promise<readonly string[]>
  /** Returns the names of the Jobs among the objects that have failed for good. */
  failedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /**
   * Deletes the Jobs among the objects that have failed for good, so that helm makes them anew; resolves with their
   * names.
   */
  deleteFailedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /** Returns how far those of the objects are whose pods kk replaces node by node. */
  nodeRolls(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly NodeRoll[]>
  /** Returns the workloads that autoscalers of a namespace scale: the manifest does not decide their replicas. */
  scaleTargets(namespace: string): Promise<readonly ScaleTarget[]>
}
