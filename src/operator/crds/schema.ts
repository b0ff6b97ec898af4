/** The part of a structural schema (apiextensions.k8s.io/v1, JSONSchemaProps) that kk's CRDs use. */
export type Schema = Text | Whole | Flag | List | Fields

interface Described {
  /** For `kubectl explain`. */
  readonly description?: string
  readonly 'x-kubernetes-validations'?: readonly Rule[]
}

/** A CEL rule on `self`; a rule that uses `oldSelf` is checked only on updates. */
interface Rule {
  readonly rule: string
  readonly message: string
}

interface Text extends Described {
  readonly type: 'string'
  readonly enum?: readonly string[]
  readonly format?: 'date-time'
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
}

interface Whole extends Described {
  readonly type: 'integer'
  readonly format?: 'int64'
  readonly minimum?: number
}

interface Flag extends Described {
  readonly type: 'boolean'
}

interface List extends Described {
  readonly type: 'array'
  readonly items: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

export interface Fields extends Described {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** The type of the values that a schema allows. */
export type ValueOf<S> = S extends {readonly enum: readonly (infer Each)[]}
  ? Each
  : S extends {readonly type: 'string'}
    ? string
    : S extends {readonly type: 'integer'}
      ? number
      : S extends {readonly type: 'boolean'}
        ? boolean
        : S extends {readonly items: infer Each}
          ? readonly ValueOf<Each>[]
          : S extends {readonly properties: infer Properties}
            ? FieldsOf<Properties, RequiredOf<S>>
            : never

type RequiredOf<S> = S extends {readonly required: readonly (infer Name)[]} ? Name : never

type FieldsOf<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: ValueOf<Properties[Name]>
} & {
  readonly [Name in keyof Properties as Name extends Required ? never : Name]?:
    | ValueOf<Properties[Name]>
    | undefined
}
