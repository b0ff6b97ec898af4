import type {CorrectOptions} from '../dry-run/dry-runs.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

/** An object that exists; `isGoing` if it is being deleted. */
export interface PresentObject {
  readonly object: KubernetesObject
  readonly isGoing: boolean
  /** Its metadata on the cluster; undefined if it may not be read. */
  readonly live: KubernetesObject['metadata'] | undefined
}

/** The identity of an object: a re-created object of the same name has another UID. */
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

/** A Job to create from a CronJob. */
export interface JobOfCronJob {
  readonly namespace: string
  readonly cronJob: string
  /** The name of the Job. */
  readonly job: string
  /** Variables of its containers, which replace those of the same name. */
  readonly variables: Readonly<Record<string, string>>
  /** A node on which its pod must not run: Kubernetes schedules pods to a dead node for a while. */
  readonly avoidedNode?: string | undefined
}

/**
 * The objects of releases as they are on the cluster: objects of manifests, remaining objects, and
 * namespaces. Every function throws like those of `Cluster`.
 */
export interface LiveObjects {
  /** Returns whether every object exists now (edges of kind `applied`). */
  exist(namespace: string, objects: readonly KubernetesObject[]): Promise<boolean>
  /** Returns the objects that exist now, including those that may not be read. */
  present(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly PresentObject[]>
  /** Returns the objects that do not exist, without those that may not be listed. */
  missing(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly KubernetesObject[]>
  /**
   * Deletes an object by its UID, and in the background the objects that it owns. Returns false if it is
   * gone, or was re-created.
   */
  delete(object: ObjectIdentity): Promise<boolean>
  /**
   * Annotates an object so that helm keeps it if a new revision does not have it. Returns false if it does
   * not exist. `namespace` is the release's.
   */
  keep(namespace: string, object: KubernetesObject): Promise<boolean>
  /** Writes existing objects as helm writes them, with force. Objects that do not exist are skipped. */
  correct(options: CorrectOptions): Promise<void>
  /**
   * Makes helm the manager of the fields that Flux's controller applied; the objects do not change otherwise.
   */
  takeFluxFields(namespace: string, objects: readonly KubernetesObject[]): Promise<void>
  claims(namespace: string): Promise<readonly Claim[]>
  /** Deletes a claim by its UID; a claim that is gone, or was re-created, is skipped. */
  deleteClaim(claim: Claim): Promise<void>
  /**
   * Creates a Job of a CronJob, as `kubectl create job --from` does, and resolves with it; it is deleted with
   * the CronJob. Throws `KK_NOT_INSTALLED` if there is none.
   */
  createJobOf(job: JobOfCronJob): Promise<KubernetesObject>
  /** Creates a namespace unless it exists, as `helm install --create-namespace` does. */
  makeNamespace(name: string): Promise<void>
  /**
   * Returns whether a namespace exists; true also if the user may not read it, and thus could not create it
   * either.
   */
  hasNamespace(name: string): Promise<boolean>
  /** Returns whether a namespace is being deleted; false also if the user may not read it. */
  isNamespaceGoing(name: string): Promise<boolean>
}
