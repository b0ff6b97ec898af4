// The types are those of Kubernetes 1.30. Of what kk reads they lack the `observedGeneration` of a pod's condition (1.33), which
// `Condition` has; discovery, credential plugins and autoscalers of others are not among them.
import type {ObjectMeta} from 'kubernetes-types/meta/v1.js'

/** The same, read-only all through: an answer of the API server is never changed. */
export type Frozen<T> = T extends object ? {readonly [Key in keyof T]: Frozen<T[Key]>} : T

/** The metadata of an object that exists. */
export type Metadata = Frozen<ObjectMeta> & {readonly name: string}

/** The metadata of an object in a namespace, with what tells it from all that was there under its name. */
export type Identity = Metadata & {
  readonly namespace: string
  readonly uid: string
  readonly resourceVersion: string
}

/** The fields of a type, none of which need be there. */
type Parts<T> = Frozen<Partial<NonNullable<T>>>

/**
 * An object as the API server hands it out; one of a list bears no kind. What a manifest must state need not be there: a status
 * is written bit by bit, and kk asks for no more than a metadata's name.
 */
export type Served<T extends {metadata?: ObjectMeta; spec?: object; status?: object}> = Frozen<
  Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'spec' | 'status'>
> & {
  readonly kind?: string
  readonly metadata: Metadata
  readonly spec?: Parts<T['spec']>
  readonly status?: Parts<T['status']>
}
