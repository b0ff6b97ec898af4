import type {Values} from '../base/values.ts'
import type {ReleaseId} from '../release.ts'
import type {Diagnosis} from './diagnosis/diagnosis.ts'
import type {Cause, Health, PassedHealth} from './gate/health.ts'
import type {NodeRoll} from './gate/node-roll.ts'
import type {Guard} from './guard/guard.ts'
import type {ImagePulls} from './image-pulls.ts'
import type {Inventory, InventoryPart} from './inventory/inventory.ts'
import type {Waiting} from './lease/lease.ts'
import type {BegunOperation} from './lease/operation.ts'
import type {LeaseView} from './lease/view.ts'
import type {Objects} from './objects/objects.ts'
import type {KeptSecrets} from './records/kept-secrets.ts'
import type {RunRecords} from './records/runs.ts'
import type {Reservations} from './reservations/reservation.ts'

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
  /** Helm's status: `deployed`, `failed`, `pending-install`, `uninstalling`, … */
  readonly status: string
  readonly labels: Readonly<Record<string, string>>
  /** Name, UID and resourceVersion of the Secret. */
  readonly secret: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    /** ISO 8601, by the clock of the API server. */
    readonly createdAt?: string
  }
}

/** All releases that helm's Secrets tell of, by metadata alone. */
export interface EveryRecord {
  /** Every revision; those of a release are ascending. */
  readonly records: readonly ReleaseRecord[]
  /** Secrets that tell of no release, as `namespace/name`: renamed, or without helm's labels. */
  readonly strays: readonly string[]
}

/** An object that exists; `isGoing` where it is being deleted. */
export interface PresentObject {
  readonly object: KubernetesObject
  readonly isGoing: boolean
  /** Its metadata on the cluster; undefined if it may not be read. */
  readonly live: KubernetesObject['metadata'] | undefined
}

/** The identity of an object: an object of the same name that was made anew is another one. */
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
  /** The values that helm was given, without the defaults of the chart. */
  readonly values: Values
  readonly hooks: readonly string[]
  /** The hooks that succeeded at this revision. */
  readonly ranHooks?: readonly string[]
  /** The hooks that did not succeed at this revision: they failed, were cut short, or were not run. */
  readonly openHooks?: readonly string[]
  /** Whether helm made the revision by an install, not by an upgrade or a rollback. */
  readonly isInstall?: boolean
  readonly chart: {
    readonly name: string
    readonly version: string
    readonly appVersion: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  /** The files in `crds/` of the chart itself, as YAML. */
  readonly crds?: readonly string[]
  /** The time at which helm ended with this revision, or began it, as helm wrote it (ISO 8601). */
  readonly deployedAt?: string
  /** `ssa` for a release that helm 4 applied on the server side. */
  readonly applyMethod: string | undefined
  /** The namespace of the objects as helm wrote it. Flux can keep records in another one (`storageNamespace`). */
  readonly namespace?: string
  /** The size of the Secret's data in bytes; the API server takes 1 MiB at most. */
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

/** A Job that is to be made of a CronJob. */
export interface JobOfCronJob {
  readonly namespace: string
  readonly cronJob: string
  /** The name of the Job. */
  readonly job: string
  /** Variables of its containers, in the place of those of the same name. */
  readonly variables: Readonly<Record<string, string>>
}

/** The API server's answer on an object that it was asked to accept in a dry run. */
export type Validation = {readonly object: string} & (
  | {
      readonly outcome: 'accepted'
      /** The metadata of an object that exists already; hooks have none, for helm makes them anew. */
      readonly standing?: KubernetesObject['metadata']
      /** The conflicts; left out if there are none, or the fields are taken by force. */
      readonly conflicts?: readonly FieldConflict[]
    }
  | {readonly outcome: 'known-after-apply'; readonly missing: 'namespace' | 'kind' | 'server'}
  /** `webhook` is the one that does not answer: its Service, as `namespace/name`, or its own name. */
  | {readonly outcome: 'refused'; readonly message: string; readonly webhook?: string}
)

/** A field that another manager than helm has, and that an apply would have to take from it. */
export interface FieldConflict {
  /** The field as the API server writes it, e.g. `.spec.template.spec.containers[name="main"].image`. */
  readonly field: string
  /** E.g. `kubectl-edit`. */
  readonly manager: string
}

/**
 * The way in which helm applies objects: on the server side (helm 4), or by patches (helm 3, and releases that it once
 * installed).
 */
export type ApplyMethod = 'server-side' | 'client-side'

/** The way in which helm will write the objects of a release. */
export interface HelmWrites {
  readonly method: ApplyMethod
  /** Whether to take fields from their present managers. */
  readonly force: boolean
  /** The objects of the revision before: a patch removes the fields of these that it leaves out. */
  readonly before: readonly KubernetesObject[]
}

export interface ValidateOptions {
  /** Of the objects that name none. */
  readonly namespace: string
  readonly objects: readonly KubernetesObject[]
  /** The way in which helm will write them; without it they count as new. */
  readonly writes?: HelmWrites | undefined
  /** Masks secrets in what the API server says; those of the Secrets among `objects` are masked anyway. */
  readonly redact?: (text: string) => string
}

/** The result that an apply of an object would have now. */
export type DryApply =
  | {readonly object: KubernetesObject; readonly state: 'gone'; readonly missing: 'object' | 'kind'}
  | {
      readonly object: KubernetesObject
      readonly state: 'compared'
      /** The object as it is; `applied` is the object as it would be. */
      readonly live: KubernetesObject
      readonly applied: KubernetesObject
      /** The conflicts; empty if helm applies on the client side, which heeds no managers. */
      readonly conflicts: readonly FieldConflict[]
    }
  | {readonly object: KubernetesObject; readonly state: 'refused'; readonly message: string}

export interface CorrectOptions extends DryApplyOptions {
  /**
   * The objects of the last revision, if fields that only they have are removed as well, as by an upgrade on the client
   * side; others are then left alone.
   */
  readonly before?: readonly KubernetesObject[]
}

export interface DryApplyOptions extends Pick<ValidateOptions, 'namespace' | 'objects' | 'redact'> {
  readonly method: ApplyMethod
}

/** The workload that an autoscaler scales. */
export interface ScaleTarget {
  readonly kind: string
  readonly name: string
  /** Whether it is scaled up also from 0: a HorizontalPodAutoscaler leaves that alone, unless its `minReplicas` is 0. */
  readonly fromZero: boolean
}

export interface HeldLease {
  /** The former holder, and why the Lease could be taken from it; undefined if there was none. */
  takenFrom: string | undefined
  /** Aborted when the lease is lost; the reason is a `KK_LEASE_LOST`. */
  readonly lost: AbortSignal
  /** Throws `KK_LEASE_LOST` once it was not renewed for so long that others may take it, which a process that was stopped finds first. */
  expectHeld(): void
  /** Writes annotations to the Lease for others to read; `null` removes one. Throws `KK_LEASE_LOST`. */
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<void>
  /** Notes on the Lease what helm is about to be started for, and how long that may take. Throws `KK_HELD` if it is lost. */
  begin(operation: BegunOperation & {readonly milliseconds: number}): Promise<void>
  /** Notes helm's process on the Lease. */
  started(pid: number): Promise<void>
  /** Notes on the Lease that helm has ended, in case it has left its record unfinished. */
  ended(): Promise<void>
  /** Stops renewing the Lease and leaves it with its annotations until it has run out; `release` then does nothing. */
  leave(): Promise<void>
  release(): Promise<void>
}

/** One cluster through one kubeconfig context. Every function throws `KK_UNREACHABLE`, `KK_FORBIDDEN` or `KK_API`. */
export interface Cluster {
  readonly context: string
  /** The API server's address. */
  readonly server: string
  /** What helm is given with `--kubeconfig` and `--kube-context`; nothing in a pod, where helm has its account, too. */
  readonly kubeconfig: string | undefined
  readonly helmContext: string | undefined
  /** Returns UID and version of the cluster. Throws `KK_KUBERNETES_VERSION` for one that is too old. */
  identity(): Promise<ClusterIdentity>
  /** Throws `KK_UNREACHABLE` while the API server says that it is not ready. */
  expectReady(): Promise<void>
  /** Returns the last revision of every release, on the cluster or in one namespace: one list of metadata. */
  records(namespace?: string): Promise<readonly ReleaseRecord[]>
  /**
   * Returns every revision that helm keeps, of one release, of a namespace or of all, by metadata alone; those of a
   * release are ascending.
   */
  revisions(of?: ReleaseId | {readonly namespace: string}): Promise<readonly ReleaseRecord[]>
  /** Returns every revision of every release, and the Secrets of helm's that tell of none. */
  everyRecord(): Promise<EveryRecord>
  /** Returns the last revision of one release, by metadata alone; without a list where it is the one expected (0: none). */
  lastRecord(release: ReleaseId, expected?: number): Promise<ReleaseRecord | undefined>
  /** Returns one revision with its payload, by default the last. Throws `KK_RECORD` if it cannot be read. */
  stored(release: ReleaseId, revision?: number): Promise<StoredRelease | undefined>
  /** Patches labels of a record under its resourceVersion; `null` removes a label. Throws `KK_RACED`. */
  label(record: ReleaseRecord, labels: Readonly<Record<string, string | null>>): Promise<void>
  /**
   * Returns the time at which a record was last written, by the API server's clock, in milliseconds since the epoch.
   */
  writtenAt(record: ReleaseRecord): Promise<number | undefined>
  /**
   * Writes `failed` and a description into a record, so that helm may work on it again, and that these hooks of it, such as
   * `Job/migrate`, have failed; all else stays. Throws `KK_RACED`, `KK_RECORD`.
   */
  markFailed(record: ReleaseRecord, description: string, hooks?: readonly string[]): Promise<ReleaseRecord>
  /**
   * Returns the custom kinds that are served, as templates ask for them: `group/version` and `group/version/Kind`,
   * sorted.
   */
  customKinds(): Promise<readonly string[]>
  /** Asks the API server to accept each object, in a dry run, as helm will write it. */
  validate(options: ValidateOptions): Promise<readonly Validation[]>
  /** Returns the health of these objects now; `hasPassed` as in `GateOptions`. */
  health(
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
  /** Creates a namespace unless it exists, as `helm install --create-namespace` does. */
  makeNamespace(name: string): Promise<void>
  /** Returns whether a namespace exists; true also if the user may not read it, and thus could not create it either. */
  hasNamespace(name: string): Promise<boolean>
  /** Returns whether a namespace is being deleted; false also if the user may not read it. */
  isNamespaceGoing(name: string): Promise<boolean>
  /** Returns the names of the Jobs among the objects that have failed for good. */
  failedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /**
   * Deletes the Jobs among the objects that have failed for good, so that helm makes them anew; resolves with their
   * names.
   */
  deleteFailedJobs(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly string[]>
  /**
   * Creates a Job of a CronJob, as `kubectl create job --from` does, and resolves with it; it goes with the CronJob.
   * Throws `KK_NOT_INSTALLED` if there is none.
   */
  createJobOf(job: JobOfCronJob): Promise<KubernetesObject>
  /** Returns how far those of the objects are whose pods kk replaces node by node. */
  nodeRolls(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly NodeRoll[]>
  /** Returns whether every object exists now (edges of kind `applied`). */
  exist(namespace: string, objects: readonly KubernetesObject[]): Promise<boolean>
  /** Returns the objects that exist now, including those that may not be read. */
  present(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly PresentObject[]>
  /** Returns the objects that do not exist, without those that may not be listed. */
  missing(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly KubernetesObject[]>
  /**
   * Returns the changes that an apply of these objects would make, by a dry run of the API server. Refusals hold no
   * secrets of them.
   */
  dryApply(options: DryApplyOptions): Promise<readonly DryApply[]>
  /** Writes objects that exist as helm writes them, by force. Those that are gone are left alone. */
  correct(options: CorrectOptions): Promise<void>
  /** Makes helm the manager of the fields that Flux's controller applied; nothing else of the objects changes. */
  takeFluxFields(namespace: string, objects: readonly KubernetesObject[]): Promise<void>
  /** Returns the workloads that autoscalers of a namespace scale: the manifest does not decide their replicas. */
  scaleTargets(namespace: string): Promise<readonly ScaleTarget[]>
  /**
   * Deletes an object under its UID, and in the background what it owns. Returns false if it is gone, or was made anew.
   */
  deleteObject(object: ObjectIdentity): Promise<boolean>
  claims(namespace: string): Promise<readonly Claim[]>
  /**
   * Marks an object so that helm leaves it when a new revision does not have it. Returns false if there is none.
   * `namespace` is the release's.
   */
  keepObject(namespace: string, object: KubernetesObject): Promise<boolean>
  /** Deletes a claim under its UID; one that is gone, or was made anew, is left alone. */
  deleteClaim(claim: Claim): Promise<void>
  /**
   * Holds the release's Lease in `kk-system`. `holder` is shown to others; `deadline` is milliseconds since the epoch.
   * While somebody else holds it, `onHeld` is called with the holder; a holder whose process is gone from this machine
   * is not waited for. Throws `KK_HELD` with the holder if the Lease stays taken until the deadline, and the reason of `stop`.
   */
  hold(release: ReleaseId, holder: string, deadline: number, waiting?: Waiting): Promise<HeldLease>
  /** Calls `ring` whenever a record of helm or a Lease of kk may have changed, until the signal; never throws. */
  onChange(signal: AbortSignal, ring: () => void): void
  /**
   * Returns the Leases of all releases that somebody holds, or held, with the state of their processes as this machine
   * sees it: one list.
   */
  leases(): Promise<readonly LeaseView[]>
  /** Returns the Lease of one release; undefined if nobody has it. */
  lease(release: ReleaseId): Promise<LeaseView | undefined>
  /** Returns who drives an environment instead of the command line; undefined if nobody does. */
  driver(environment: string): Promise<string | undefined>
  /** Returns the time by the API server's clock, in milliseconds since the epoch. */
  now(): number
  /** Returns a part of the cluster's inventory; empty if it cannot be read. */
  inventory(part: InventoryPart): Promise<Inventory>
  /** Objects of any kind. */
  readonly objects: Objects
  /** Pulls of images to the nodes before pods need them. */
  readonly pulls: ImagePulls
  /** The records of runs on the cluster. */
  readonly runs: RunRecords
  /** Generated passwords and keys. */
  readonly secrets: KeptSecrets
  readonly guard: Guard
  readonly diagnosis: Diagnosis
  /** The reservations of those who are about to install a dependent of a release. */
  readonly reservations: Reservations
  close(): Promise<void>
}
