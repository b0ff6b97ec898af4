import type * as core from 'kubernetes-types/core/v1.js'
import type {ReleaseId} from '../../release.ts'
import type {Resource} from '../api/resources.ts'
import type {DeepReadonly} from '../api/served.ts'
import type {NodeClock} from '../node-clocks.ts'
import type {Access} from '../permissions/access.ts'
import type {Reservation} from '../reservations/reservation.ts'

/** A Namespace, with what delays its deletion. */
export interface SeenNamespace {
  readonly name: string
  /** The time of its deletion, ISO 8601; undefined if it is not being deleted. */
  readonly deletedAt: string | undefined
  /** Kubernetes' reasons for the delay: type and message of each condition that is true. */
  readonly hindrances: readonly {readonly type: string; readonly message: string}[]
}

export interface SeenStorageClass {
  readonly name: string
  readonly isDefault: boolean
}

export type Taint = DeepReadonly<core.Taint>

/** A node, with the fields that the scheduler matches pods against. */
export interface SchedulableNode {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  /** The sum that its pods may request, as quantities of Kubernetes: `{cpu: '7910m'}`. */
  readonly allocatable: Readonly<Record<string, string>>
}

/** A PersistentVolumeClaim, with the metadata that identifies its release. */
export interface SeenClaim {
  readonly namespace: string
  readonly name: string
  /** The release of helm's annotation, or of a chart's labels. */
  readonly release: ReleaseId | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** A Job that a chart declares as a hook of helm. */
export interface SeenHookJob {
  readonly namespace: string
  readonly name: string
  readonly hook: string
}

/** An object with certificates. */
export interface SeenCertificates {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** The release that owns it; undefined if none does. */
  readonly release?: ReleaseId | undefined
  /** The Certificate of cert-manager that fills it. */
  readonly manager?: string | undefined
  /** The certificates in PEM; no private key is among them. */
  readonly texts: readonly string[]
}

/** The requests that only `kk doctor` makes. Every function throws like those of `Cluster`. */
export interface Diagnosis {
  /** Returns the seconds by which this machine's clock is ahead of the API server's, rounded. */
  clockAhead(): Promise<number>
  /** Returns the clocks of the nodes whose kubelets report. */
  clocks(): Promise<readonly NodeClock[]>
  /** Returns the user as the API server knows it. */
  user(): Promise<string>
  /** Returns for each access whether the user has it. */
  may(accesses: readonly Access[]): Promise<readonly boolean[]>
  /** Returns the API resource of a kind; undefined if the cluster does not serve it. */
  served(apiVersion: string, kind: string): Promise<Resource | undefined>
  namespaces(): Promise<readonly SeenNamespace[]>
  storageClasses(): Promise<readonly SeenStorageClass[]>
  nodes(): Promise<readonly SchedulableNode[]>
  reservations(): Promise<readonly Reservation[]>
  claims(): Promise<readonly SeenClaim[]>
  /** Returns the claims that pods of the namespace mount, as `namespace/name`. */
  mountedClaims(namespace: string): Promise<ReadonlySet<string>>
  /** Returns the Secrets of the type kubernetes.io/tls. */
  certificates(): Promise<readonly SeenCertificates[]>
  hookJobs(): Promise<readonly SeenHookJob[]>
}
