import type {ReleaseId} from '../../release.ts'

/** An object that may be deleted; one that is made anew under its name has another UID and may not. */
export interface ApprovedObject {
  readonly kind: 'StatefulSet' | 'PersistentVolumeClaim' | 'Secret' | 'Namespace'
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** For a while, these objects of a protected release may be deleted. */
export interface Approval {
  readonly release: ReleaseId
  /** Seconds since the epoch. */
  readonly expires: number
  /** For people: who approved, from where. */
  readonly by: string
  readonly objects: readonly ApprovedObject[]
}

/** All that the policies are told: the content of the ConfigMap `kk-guard` in `kk-system`. */
export interface GuardParameters {
  readonly releases: readonly ReleaseId[]
  /** Claims that StatefulSets make: `namespace/template-statefulset`, to which `-0`, `-1`, … is added, and whose they are. */
  readonly claims: ReadonlyMap<string, ReleaseId>
  readonly approvals: readonly Approval[]
}

/** What stands on the cluster. */
export interface GuardState {
  readonly parameters: GuardParameters
  /** Of the ConfigMap: a write under it is refused when somebody else wrote meanwhile. */
  readonly resourceVersion: string
  /** What of it is missing, or not as kk writes it. */
  readonly faults: readonly string[]
  /** False when the API server was asked and would not deny; true also when this user may not ask. */
  readonly enforced: boolean
}

/** The guard of one cluster: a ValidatingAdmissionPolicy that binds helm and kubectl, too. */
export interface Guard {
  /** Whether the API server knows `ValidatingAdmissionPolicy` in admissionregistration.k8s.io/v1 (Kubernetes 1.30). */
  supported(): Promise<boolean>
  /** Undefined when there is none. */
  read(): Promise<GuardState | undefined>
  /** Only what the ConfigMap says: one request. */
  parameters(): Promise<GuardParameters | undefined>
  /** The claims that the StatefulSets of these releases make. */
  claims(releases: readonly ReleaseId[]): Promise<GuardParameters['claims']>
  /** What of a release the guard keeps from being deleted: StatefulSets, claims, its deployed record; with `namespace`, that as well. */
  objects(
    release: ReleaseId,
    options: {readonly parameters: GuardParameters; readonly namespace: boolean},
  ): Promise<readonly ApprovedObject[]>
  /**
   * Writes all of it and returns when the API server enforces it. With a `resourceVersion`, throws `KK_RACED` when
   * the parameters have changed since.
   */
  install(parameters: GuardParameters, resourceVersion?: string): Promise<void>
  /** Marks the objects, writes the parameters, and returns when the API server allows what was approved. Throws `KK_RACED`. */
  approve(approvals: readonly Approval[], parameters: GuardParameters, resourceVersion: string): Promise<void>
  /** Takes all of it away. */
  remove(): Promise<void>
}
