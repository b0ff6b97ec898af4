import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

/** The API server's response to an object in a dry run. */
export type Validation = {readonly object: string} & (
  | {
      readonly outcome: 'accepted'
      /** The metadata of an object that exists; hooks have none, because helm re-creates them. */
      readonly standing?: KubernetesObject['metadata']
      /** The conflicts; omitted if there are none, or if the fields are taken by force. */
      readonly conflicts?: readonly FieldConflict[]
    }
  | {readonly outcome: 'known-after-apply'; readonly missing: 'namespace' | 'kind' | 'server'}
  /** `webhook` is the webhook that does not respond: its Service, as `namespace/name`, or its own name. */
  | {readonly outcome: 'refused'; readonly message: string; readonly webhook?: string}
)

/** A field with another manager than helm, which an apply would have to take over. */
export interface FieldConflict {
  /** The field as the API server writes it, e.g. `.spec.template.spec.containers[name="main"].image`. */
  readonly field: string
  /** E.g. `kubectl-edit`. */
  readonly manager: string
}

/**
 * How helm applies objects: by server-side apply (helm 4), or by patches (helm 3, and helm 4 for releases
 * that helm 3 installed).
 */
export type ApplyMethod = 'server-side' | 'client-side'

/** How helm will write the objects of a release. */
export interface HelmWrites {
  readonly method: ApplyMethod
  /** Whether to take fields from their present managers. */
  readonly force: boolean
  /**
   * The objects of the previous revision: a patch removes those of their fields that the new manifest omits.
   */
  readonly before: readonly KubernetesObject[]
}

export interface ValidateOptions {
  /** The namespace of objects that name none. */
  readonly namespace: string
  readonly objects: readonly KubernetesObject[]
  /** How helm will write them. Defaults to new objects. */
  readonly writes?: HelmWrites | undefined
  /** Masks secrets in the API server's messages; those of the Secrets among `objects` are always masked. */
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
      /** The conflicts; empty if helm applies on the client side, which ignores managers. */
      readonly conflicts: readonly FieldConflict[]
    }
  | {readonly object: KubernetesObject; readonly state: 'refused'; readonly message: string}

export interface CorrectOptions extends DryApplyOptions {
  /**
   * The objects of the last revision, if fields that only they have must be removed too, as by an upgrade on
   * the client side; objects that are not among them are then skipped.
   */
  readonly before?: readonly KubernetesObject[]
}

export interface DryApplyOptions extends Pick<ValidateOptions, 'namespace' | 'objects' | 'redact'> {
  readonly method: ApplyMethod
}

/** Dry runs of the API server; no object is written. Every function throws like those of `Cluster`. */
export interface DryRuns {
  /** Validates each object in a dry run, as helm will write it. */
  validate(options: ValidateOptions): Promise<readonly Validation[]>
  /**
   * Returns the changes that an apply of these objects would make, by a dry run. Refusals contain no secrets
   * of the objects.
   */
  apply(options: DryApplyOptions): Promise<readonly DryApply[]>
}
