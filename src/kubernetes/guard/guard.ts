import type {ReleaseId} from '../../release.ts'

/** An object that may be deleted. If it is re-created under its name, the new UID is not approved. */
export interface ApprovedObject {
  readonly kind: 'StatefulSet' | 'PersistentVolumeClaim' | 'Secret' | 'Namespace'
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** The permission to delete these objects of a protected release, with an expiry. */
export interface Approval {
  readonly release: ReleaseId
  /** Seconds since the epoch. */
  readonly expires: number
  /** The user and machine that approved, for display. */
  readonly by: string
  readonly objects: readonly ApprovedObject[]
}

/** The parameters of the policies: the content of the ConfigMap `kk-guard` in `kk-system`. */
export interface GuardParameters {
  readonly releases: readonly ReleaseId[]
  /**
   * The releases of the claims that StatefulSets create, by `namespace/template-statefulset`, to which
   * Kubernetes adds `-0`, `-1`, …
   */
  readonly claims: ReadonlyMap<string, ReleaseId>
  readonly approvals: readonly Approval[]
}

/** The guard as it is on the cluster. */
export interface GuardState {
  readonly parameters: GuardParameters
  /** The resourceVersion of the ConfigMap: a write with it is refused after a concurrent write. */
  readonly resourceVersion: string
  /** The parts that are missing, or differ from kk's. */
  readonly faults: readonly string[]
  /** Whether the API server denies deletions; true also if this user may not test it. */
  readonly enforced: boolean
}

/** The guard of one cluster: a ValidatingAdmissionPolicy, which applies to helm and kubectl too. */
export interface Guard {
  /**
   * Returns whether the API server serves `ValidatingAdmissionPolicy` in admissionregistration.k8s.io/v1
   * (Kubernetes 1.30).
   */
  supported(): Promise<boolean>
  /** Returns the guard; undefined if there is none. */
  read(): Promise<GuardState | undefined>
  /** Returns only the parameters in the ConfigMap: one request. */
  parameters(): Promise<GuardParameters | undefined>
  /** Returns the claims that the StatefulSets of these releases create. */
  claims(releases: readonly ReleaseId[]): Promise<GuardParameters['claims']>
  /**
   * Returns the objects of a release whose deletion the guard denies: StatefulSets, claims, its deployed
   * record and, with `namespace`, its namespace.
   */
  objects(
    release: ReleaseId,
    options: {readonly parameters: GuardParameters; readonly namespace: boolean},
  ): Promise<readonly ApprovedObject[]>
  /**
   * Writes the guard and returns when the API server enforces it. With a `resourceVersion`, throws `KK_RACED`
   * if the parameters have changed since.
   */
  install(parameters: GuardParameters, resourceVersion?: string): Promise<void>
  /**
   * Labels the objects, writes the parameters, and returns when the API server allows the approved deletions.
   * Throws `KK_RACED`.
   */
  approve(approvals: readonly Approval[], parameters: GuardParameters, resourceVersion: string): Promise<void>
  /** Removes the guard. */
  remove(): Promise<void>
}
