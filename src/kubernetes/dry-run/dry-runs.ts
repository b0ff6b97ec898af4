import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

/** The API server's answer on an object that it was asked to accept in a dry run. */
export type Validation = {readonly object: string} & (
  | {
      readonly outcome: 'accepted'
      /** The metadata of an object that exists already; hooks have none, for helm makes them again. */
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

/** What the API server would do with objects; it writes none of them. Every function throws as `Cluster`'s do. */
export interface DryRuns {
  /** Asks the API server to accept each object, in a dry run, as helm will write it. */
  validate(options: ValidateOptions): Promise<readonly Validation[]>
  /**
   * Returns the changes that an apply of these objects would make, by a dry run of the API server. Refusals hold no
   * secrets of them.
   */
  apply(options: DryApplyOptions): Promise<readonly DryApply[]>
}
