import type {ReleaseId, Values} from '../release.ts'
import type {Diagnosis} from './diagnosis/diagnosis.ts'
import type {Guard} from './guard/guard.ts'
import type {Inventory, InventoryPart} from './inventory/inventory.ts'
import type {BegunOperation} from './lease/operation.ts'
import type {LeaseView} from './lease/view.ts'
import type {ImagePulls} from './pulls/image-pull.ts'
import type {Reservations} from './reservations/reservation.ts'
import type {RunRecords} from './runs/run-record.ts'
import type {KeptSecrets} from './secrets/kept-secret.ts'

export interface ClusterIdentity {
  /** UID of the namespace `kube-system`: the same for every context that reaches this cluster. */
  readonly uid: string
  /** E.g. `v1.36.3`. */
  readonly version: string
}

/** The last revision of a release, from the metadata of its record alone. */
export interface ReleaseRecord {
  readonly release: ReleaseId
  readonly revision: number
  /** Helm's word: `deployed`, `failed`, `pending-install`, `uninstalling`, … */
  readonly status: string
  readonly labels: Readonly<Record<string, string>>
  /** Name, UID and resourceVersion of the Secret. */
  readonly secret: {readonly name: string; readonly uid: string; readonly resourceVersion: string}
}

/** All that helm's Secrets tell of releases, by metadata alone. */
export interface EveryRecord {
  /** Every revision; those of a release are ascending. */
  readonly records: readonly ReleaseRecord[]
  /** `namespace/name` of Secrets that tell of no release: renamed, or without helm's labels. */
  readonly strays: readonly string[]
}

/** An object that exists. */
export interface PresentObject {
  readonly object: KubernetesObject
  /** It is being deleted. */
  readonly isGoing: boolean
  /** As it is on the cluster; undefined when it may not be read. */
  readonly live: KubernetesObject['metadata'] | undefined
}

/** What names an object for good: one of the same name that was made anew is another. */
export interface ObjectIdentity {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** A PersistentVolumeClaim. */
export interface Claim {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
}

/** A record with its payload decoded. */
export interface StoredRelease extends ReleaseRecord {
  readonly manifest: string
  /** What helm was given, without the defaults of the chart. */
  readonly values: Values
  readonly hooks: readonly string[]
  readonly chart: {
    readonly name: string
    readonly version: string
    readonly appVersion: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  /** The files in `crds/` of the chart itself, as YAML. */
  readonly crds?: readonly string[]
  /** ISO 8601, as helm wrote it: when helm ended with this revision, or began. */
  readonly deployedAt?: string
  /** `ssa` for a release that helm 4 applied on the server side. */
  readonly applyMethod: string | undefined
  /** Bytes of the Secret's data; the API server takes 1 MiB at most. */
  readonly bytes?: number
}

/** A Kubernetes object as it is sent and received. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly [key: string]: unknown
  }
  readonly [key: string]: unknown
}

/** Why a gate is closed: the object that is not ready and, when a pod is the cause, which pod, container and reason. */
export interface Cause {
  /** E.g. `Deployment/keystone-api`. */
  readonly object: string
  readonly namespace?: string
  /** E.g. `1 of 3 replicas are available`. */
  readonly message: string
  readonly pod?: string
  readonly container?: string
  /** Kubernetes' own word: `CrashLoopBackOff`, `ImagePullBackOff`, `Unschedulable`, … */
  readonly reason?: string
  /** What Kubernetes says beside the reason, e.g. the scheduler's message. */
  readonly detail?: string
  readonly log?: readonly string[]
}

/** `failed` cannot get well by waiting: a failed Job, an exceeded progress deadline. */
export type Health =
  | {readonly state: 'healthy'}
  | {
      readonly state: 'waiting'
      readonly blames: readonly Cause[]
      /** When it may be another though no object changes; in milliseconds since the epoch by the cluster's clock. */
      readonly until?: number
    }
  | {readonly state: 'failed'; readonly blames: readonly Cause[]}

export interface GateOptions {
  readonly namespace: string
  /** The objects that were applied; those without a notion of health are passed over. */
  readonly objects: readonly KubernetesObject[]
  /** Milliseconds since the epoch. */
  readonly deadline: number
  readonly signal?: AbortSignal
  /** Called whenever the reason changes. */
  readonly onProgress?: (blames: readonly Cause[]) => void
  /** Masks secrets in container logs and events; those of the Secrets among `objects` are masked anyway. */
  readonly redact?: (text: string) => string
}

export interface HookWatchOptions {
  readonly namespace: string
  /** The hook objects of the release; Jobs and Pods among them are watched. */
  readonly hooks: readonly KubernetesObject[]
  readonly signal?: AbortSignal
  readonly onProgress?: (blames: readonly Cause[]) => void
  readonly redact?: (text: string) => string
}

/** What is seen of a release's hooks while helm waits for them. */
export interface HookWatch {
  /** What is the cause now or, when helm has deleted it meanwhile, the last cause; with log lines. */
  blames(): Promise<readonly Cause[]>
  stop(): void
}

/** What the API server says of an object that it was asked to accept in a dry run. */
export type Validation =
  | {
      readonly object: string
      readonly outcome: 'accepted'
      /** Of an object that exists already, as it is; hooks are made anew. */
      readonly standing?: KubernetesObject['metadata']
      /** Left out when there are none, and where they are taken. */
      readonly conflicts?: readonly FieldConflict[]
    }
  | {readonly object: string; readonly outcome: 'known-after-apply'; readonly missing: 'namespace' | 'kind'}
  | {readonly object: string; readonly outcome: 'refused'; readonly message: string}

/** A field that somebody else than helm manages, and that an apply would have to take from them. */
export interface FieldConflict {
  /** As the API server writes it, e.g. `.spec.template.spec.containers[name="main"].image`. */
  readonly field: string
  /** E.g. `kubectl-edit`. */
  readonly manager: string
}

/** On the server side (helm 4), or by patches (helm 3, and what it once installed). */
export type ApplyMethod = 'server-side' | 'client-side'

/** How helm will write the objects of a release. */
export interface HelmWrites {
  readonly method: ApplyMethod
  /** Take fields from those who manage them now. */
  readonly force: boolean
  /** The objects of the revision before: what patches leave out of these goes. */
  readonly before: readonly KubernetesObject[]
}

export interface ValidateOptions {
  /** Of the objects that name none. */
  readonly namespace: string
  readonly objects: readonly KubernetesObject[]
  /** As objects that are new unless this is given. */
  readonly writes?: HelmWrites | undefined
}

/** What an apply of an object would do now. */
export type DryApply =
  | {readonly object: KubernetesObject; readonly state: 'gone'; readonly missing: 'object' | 'kind'}
  | {
      readonly object: KubernetesObject
      readonly state: 'compared'
      /** As it is, and as it would be. */
      readonly live: KubernetesObject
      readonly applied: KubernetesObject
      /** Empty where helm applies on the client side, which heeds no managers. */
      readonly conflicts: readonly FieldConflict[]
    }
  | {readonly object: KubernetesObject; readonly state: 'refused'; readonly message: string}

export interface DryApplyOptions {
  /** Of the objects that name none. */
  readonly namespace: string
  readonly objects: readonly KubernetesObject[]
  readonly method: ApplyMethod
}

/** What a HorizontalPodAutoscaler scales. */
export interface ScaleTarget {
  readonly kind: string
  readonly name: string
}

export interface HeldLease {
  /** From whom it was taken, and why that was right; undefined when nobody had it. */
  readonly takenFrom: string | undefined
  /** Aborted when the lease is lost; the reason is a `KK_LEASE_LOST`. */
  readonly lost: AbortSignal
  /** Writes annotations to the Lease, for others to read; `null` takes one away. Throws `KK_LEASE_LOST`. */
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<void>
  /** Writes down what helm is about to be started for, and how long it may take. Throws `KK_HELD` when the Lease is lost. */
  begin(operation: BegunOperation & {readonly milliseconds: number}): Promise<void>
  /** Writes down helm's process. */
  started(pid: number): Promise<void>
  /** Writes down that helm has ended, for a record that it has left unfinished. */
  ended(): Promise<void>
  /** Renews the Lease no more and leaves it, with what stands on it, until it has run out; `release` then does nothing. */
  leave(): Promise<void>
  release(): Promise<void>
}

/** One cluster through one kubeconfig context. Every function throws `KK_UNREACHABLE`, `KK_FORBIDDEN` or `KK_API`. */
export interface Cluster {
  readonly context: string
  /** The API server's address. */
  readonly server: string
  /** What helm is given: `--kubeconfig` and `--kube-context`. */
  readonly kubeconfig: string | undefined
  /** Throws `KK_KUBERNETES_VERSION` for a cluster that is too old. */
  identity(): Promise<ClusterIdentity>
  /** The last revision of every release, on the cluster or in one namespace: one list of metadata. */
  records(namespace?: string): Promise<readonly ReleaseRecord[]>
  /** Every revision that helm keeps, of one release, of a namespace or of all, by metadata alone; those of a release are ascending. */
  revisions(of?: ReleaseId | {readonly namespace: string}): Promise<readonly ReleaseRecord[]>
  /** Every revision of every release, and the Secrets of helm's that tell of none. */
  everyRecord(): Promise<EveryRecord>
  /** The last revision of one release, by metadata alone. */
  lastRecord(release: ReleaseId): Promise<ReleaseRecord | undefined>
  /** One revision with its payload; the last when none is given. Throws `KK_RECORD` when it cannot be read. */
  stored(release: ReleaseId, revision?: number): Promise<StoredRelease | undefined>
  /** Patches labels of a record under its resourceVersion; `null` takes a label away. Throws `KK_RACED`. */
  label(record: ReleaseRecord, labels: Readonly<Record<string, string | null>>): Promise<void>
  /** When a record was last written, by the clock of the API server, in milliseconds since the epoch. */
  writtenAt(record: ReleaseRecord): Promise<number | undefined>
  /** Writes `failed` and a description into a record, so that helm may work on it again; all else stays. Throws `KK_RACED`, `KK_RECORD`. */
  markFailed(record: ReleaseRecord, description: string): Promise<ReleaseRecord>
  /** The custom kinds that are served, as templates ask for them: `group/version` and `group/version/Kind`, sorted. */
  customKinds(): Promise<readonly string[]>
  /** Asks the API server to accept each object, in a dry run, as helm will write it. */
  validate(options: ValidateOptions): Promise<readonly Validation[]>
  /** The health of these objects now. */
  health(namespace: string, objects: readonly KubernetesObject[]): Promise<Health>
  /** Resolves when every object is healthy; throws `KK_UNHEALTHY` naming the pod that caused it, on failure or at the deadline. */
  gate(options: GateOptions): Promise<void>
  /** Watches hooks from now on: objects that existed before do not count. Never throws for what it cannot see. */
  watchHooks(options: HookWatchOptions): Promise<HookWatch>
  /** Makes a namespace unless it exists, as `helm install --create-namespace` does. */
  makeNamespace(name: string): Promise<void>
  /** True also when it may not be looked at: who sees that little cannot make it. */
  hasNamespace(name: string): Promise<boolean>
  /** The names of those Jobs among the objects that have failed for good. */
  failedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /** Deletes those Jobs among the objects that have failed for good, so that helm makes them anew; resolves with their names. */
  deleteFailedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /** Whether every object exists now (edges of kind `applied`). */
  exist(namespace: string, objects: readonly KubernetesObject[]): Promise<boolean>
  /** Those of the objects that exist now; one that may not be read counts as if it did. */
  present(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly PresentObject[]>
  /** Those of the objects that do not exist; what may not be listed counts as if it did. */
  missing(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly KubernetesObject[]>
  /** What an apply of these objects would change, by a dry run of the API server. Refusals hold no secrets of them. */
  dryApply(options: DryApplyOptions): Promise<readonly DryApply[]>
  /** What autoscalers of a namespace scale: the replicas of these are not the manifest's to say. */
  scaleTargets(namespace: string): Promise<readonly ScaleTarget[]>
  /** Deletes an object under its UID, and in the background what it owns; false when it is gone, or was made anew. */
  deleteObject(object: ObjectIdentity): Promise<boolean>
  claims(namespace: string): Promise<readonly Claim[]>
  /** Has helm leave an object when a new revision has it no more; false when there is none. `namespace` is the release's. */
  keepObject(namespace: string, object: KubernetesObject): Promise<boolean>
  /** Deletes a claim under its UID; one that is gone, or was made anew, is left alone. */
  deleteClaim(claim: Claim): Promise<void>
  /**
   * Holds the release's Lease in `kk-system`. `holder` is shown to others; `deadline` is milliseconds since the epoch.
   * While somebody else has it, `onHeld` is told who; one whose process is gone from this machine is not waited for. Throws `KK_HELD` naming the holder when it stays taken until then.
   */
  hold(
    release: ReleaseId,
    holder: string,
    deadline: number,
    onHeld?: (by: string) => void,
  ): Promise<HeldLease>
  /** Calls `ring` whenever a record of helm or a Lease of kk may have changed, until the signal; never throws. */
  onChange(signal: AbortSignal, ring: () => void): void
  /** The Leases of all releases that somebody holds, or held, with what this machine sees of their processes: one list. */
  leases(): Promise<readonly LeaseView[]>
  /** The same of one release; undefined when nobody has it. */
  lease(release: ReleaseId): Promise<LeaseView | undefined>
  /** The time by the clock of the API server, in milliseconds since the epoch. */
  now(): number
  /** A part of what the cluster is made of; empty where it cannot be known. */
  inventory(part: InventoryPart): Promise<Inventory>
  /** Images on their way to the nodes, before pods need them. */
  readonly pulls: ImagePulls
  /** What was run on the cluster, by whom and when. */
  readonly runs: RunRecords
  /** Generated passwords and keys. */
  readonly secrets: KeptSecrets
  readonly guard: Guard
  readonly diagnosis: Diagnosis
  /** Who is about to install what requires a release. */
  readonly reservations: Reservations
  close(): Promise<void>
}
