import type {ReleaseId} from '../../release.ts'
import type {Resource} from '../api/resources.ts'
import type {Access} from '../permissions/access.ts'
import type {Reservation} from '../reservations/reservation.ts'

/** A Namespace, as far as it tells why it does not go. */
export interface SeenNamespace {
  readonly name: string
  /** ISO 8601; undefined while nobody has deleted it. */
  readonly deletedAt: string | undefined
  /** Kubernetes' own words about what is in the way: type and message of each condition that holds. */
  readonly hindrances: readonly {readonly type: string; readonly message: string}[]
}

export interface SeenStorageClass {
  readonly name: string
  readonly isDefault: boolean
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
}

/** A node, as far as the scheduler compares pods with it. */
export interface SchedulableNode {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  /** What all its pods together may ask for, as quantities of Kubernetes: `{cpu: '7910m'}`. */
  readonly allocatable: Readonly<Record<string, string>>
}

/** A PersistentVolumeClaim, with what tells whose it is. */
export interface SeenClaim {
  readonly namespace: string
  readonly name: string
  /** The release that helm's annotation, or a chart's labels, say it belongs to. */
  readonly release: ReleaseId | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** A Job that a chart declares as a hook of helm. */
export interface SeenHookJob {
  readonly namespace: string
  readonly name: string
  readonly hook: string
}

/** What only `kk doctor` asks of a cluster. Every function throws as `Cluster`'s do. */
export interface Diagnosis {
  /** How many seconds this machine's clock is ahead of the API server's; to the second. */
  clockAhead(): Promise<number>
  /** The user as the API server knows it. */
  user(): Promise<string>
  /** Whether the user may do each of these. */
  may(accesses: readonly Access[]): Promise<readonly boolean[]>
  /** The API resource of a kind; undefined when the cluster does not serve it. */
  served(apiVersion: string, kind: string): Promise<Resource | undefined>
  namespaces(): Promise<readonly SeenNamespace[]>
  storageClasses(): Promise<readonly SeenStorageClass[]>
  nodes(): Promise<readonly SchedulableNode[]>
  reservations(): Promise<readonly Reservation[]>
  claims(): Promise<readonly SeenClaim[]>
  /** `namespace/name` of the claims that pods of the namespace mount. */
  mountedClaims(namespace: string): Promise<ReadonlySet<string>>
  hookJobs(): Promise<readonly SeenHookJob[]>
}
