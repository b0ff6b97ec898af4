import type {Allowance} from '../../base/allowance.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {Cause, Health, PassedHealth} from './health.ts'
import type {NodeRoll} from './node-roll.ts'
import type {AwayNode} from './nodes.ts'
import type {ScaleTarget} from './scale-targets.ts'

export interface GateOptions {
  readonly namespace: string
  /** The objects that were applied; kinds whose health is not evaluated are ignored. */
  readonly objects: readonly KubernetesObject[]
  /** Milliseconds since the epoch. */
  readonly deadline: number
  readonly signal?: AbortSignal
  /** Called when the reason changes. */
  readonly onProgress?: (causes: readonly Cause[]) => void
  /** Masks secrets in container logs and events; those of the Secrets among `objects` are always masked. */
  readonly redact?: (text: string) => string
  /** Whether the gate of this revision has passed, so that its Jobs that are gone have completed. */
  readonly hasPassed?: boolean
  /** As in `Background`. */
  readonly unavailable?: Allowance | undefined
}

export interface HookWatchOptions {
  readonly namespace: string
  /**
   * The objects of the release. Only hooks that are Jobs or Pods, and other Jobs that may vanish, are
   * watched.
   */
  readonly objects: readonly KubernetesObject[]
  /**
   * The events whose hooks must be observed to complete even if helm succeeds: helm 3 takes a deletion for
   * completion.
   */
  readonly mustShow?: readonly string[]
  readonly signal?: AbortSignal
  readonly onProgress?: (causes: readonly Cause[]) => void
  readonly redact?: (text: string) => string
}

/** A watch of a release's hooks while helm waits for them. */
export interface HookWatch {
  /** Returns the present causes, with log lines; for a hook that helm has deleted since, the last cause. */
  blames(): Promise<readonly Cause[]>
  /** Returns a cause for each hook that was deleted before it had ended, and not re-created. */
  deleted(): readonly Cause[]
  /** Returns, after helm has succeeded, a cause for each hook that was not observed to complete. */
  incomplete(): Promise<readonly Cause[]>
  stop(): void
}

/**
 * The health of applied objects, and the gate that awaits it. Every function throws like those of `Cluster`.
 */
export interface HealthChecks {
  /** Returns the health of these objects now; the options as in `GateOptions`. */
  of(
    namespace: string,
    objects: readonly KubernetesObject[],
    options?: Pick<GateOptions, 'hasPassed' | 'unavailable'>,
  ): Promise<Health>
  /**
   * Resolves when the gate has passed. Throws `KK_UNHEALTHY` with the responsible pod, on failure or at the
   * deadline, and `KK_UNREACHABLE` if the cluster does not respond at the deadline.
   */
  gate(options: GateOptions): Promise<PassedHealth>
  /**
   * Watches hooks from now on, and Jobs whose outcome the gate needs: objects that existed before do not
   * count. Never throws for objects that it cannot read.
   */
  watchHooks(options: HookWatchOptions): Promise<HookWatch>
  /** Returns the lines that a container of a pod has logged so far. */
  log(namespace: string, pod: string, container: string): Promise<readonly string[]>
  /** Returns the names of the Jobs among the objects that have failed permanently. */
  failedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /**
   * Deletes the Jobs among the objects that have failed permanently, so that helm re-creates them; resolves
   * with their names.
   */
  deleteFailedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /** Returns the nodes whose pods are not awaited; undefined if the nodes may not be read. */
  awayNodes(): Promise<readonly AwayNode[] | undefined>
  /** Returns the progress of those objects whose pods kk replaces node by node. */
  nodeRolls(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly NodeRoll[]>
  /**
   * Returns the progress of those DaemonSets whose rolling update nodes that are away hold up, because
   * Kubernetes counts these as unavailable.
   */
  heldRolls(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly NodeRoll[]>
  /**
   * Returns the workloads that autoscalers of a namespace scale: the manifest does not decide their replicas.
   */
  scaleTargets(namespace: string): Promise<readonly ScaleTarget[]>
}
