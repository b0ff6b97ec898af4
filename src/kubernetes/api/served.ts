// The types are those of Kubernetes 1.30. They lack the `observedGeneration` of a pod's condition (1.33),
// which `Condition` has, and the types of discovery, credential plugins and custom autoscalers.
import type {ObjectMeta} from 'kubernetes-types/meta/v1.js'

/** A deeply read-only type, because responses of the API server are never modified. */
export type DeepReadonly<T> = T extends object ? {readonly [Key in keyof T]: DeepReadonly<T[Key]>} : T

/** The metadata of an object that exists. */
export type Metadata = DeepReadonly<ObjectMeta> & {readonly name: string}

/** The metadata of a namespaced object, with its identity among former objects of its name. */
export type Identity = Metadata & {
  readonly namespace: string
  readonly uid: string
  readonly resourceVersion: string
}

/** The fields of a type, all optional. */
type Parts<T> = DeepReadonly<Partial<NonNullable<T>>>

/**
 * An object as the API server returns it; items of lists have no kind. All fields are optional except the
 * name, because a status is written step by step.
 */
export type Served<T extends {metadata?: ObjectMeta; spec?: object; status?: object}> = DeepReadonly<
  Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'spec' | 'status'>
> & {
  readonly kind?: string
  readonly metadata: Metadata
  readonly spec?: Parts<T['spec']>
  readonly status?: Parts<T['status']>
}
