import type {CorrectOptions} from '../dry-run/dry-runs.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

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

/** A Job that is to be made of a CronJob. */
export interface JobOfCronJob {
  readonly namespace: string
  readonly cronJob: string
  /** The name of the Job. */
  readonly job: string
  /** Variables of its containers, in the place of those of the same name. */
  readonly variables: Readonly<Record<string, string>>
}

/**
 * The objects of releases as they are on the cluster: those of manifests, what these have left, and their namespaces.
 * Every function throws as `Cluster`'s do.
 */
export interface LiveObjects {
  /** Returns whether every object exists now (edges of kind `applied`). */
  exist(namespace: string, objects: readonly KubernetesObject[]): Promise<boolean>
  /** Returns the objects that exist now, including those that may not be read. */
  present(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly PresentObject[]>
  /** Returns the objects that do not exist, without those that may not be listed. */
  missing(namespace: string, objects: readonly KubernetesObject[]): Promise<readonly KubernetesObject[]>
  /**
   * Deletes an object under its UID, and in the background what it owns. Returns false if it is gone, or was made anew.
   */
  delete(object: ObjectIdentity): Promise<boolean>
  /**
   * Marks an object so that helm leaves it when a new revision does not have it. Returns false if there is none.
   * `namespace` is the release's.
   */
  keep(namespace: string, object: KubernetesObject): Promise<boolean>
  /** Writes objects that exist as helm writes them, by force. Those that are gone are left alone. */
  correct(options: CorrectOptions): Promise<void>
  /** Makes helm the manager of the fields that Flux's controller applied; nothing else of the objects changes. */
  takeFluxFields(namespace: string, objects: readonly KubernetesObject[]): Promise<void>
  claims(namespace: string): Promise<readonly Claim[]>
  /** Deletes a claim under its UID; one that is gone, or was made anew, is left alone. */
  deleteClaim(claim: Claim): Promise<void>
  /**
   * Creates a Job of a CronJob, as `kubectl create job --from` does, and resolves with it; it goes with the CronJob.
   * Throws `KK_NOT_INSTALLED` if there is none.
   */
  createJobOf(job: JobOfCronJob): Promise<KubernetesObject>
  /** Creates a namespace unless it exists, as `helm install --create-namespace` does. */
  makeNamespace(name: string): Promise<void>
  /** Returns whether a namespace exists; true also if the user may not read it, and thus could not create it either. */
  hasNamespace(name: string): Promise<boolean>
  /** Returns whether a namespace is being deleted; false also if the user may not read it. */
  isNamespaceGoing(name: string): Promise<boolean>
}
