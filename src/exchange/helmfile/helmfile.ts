import type {JsonSchema} from '../../base/validate.ts'

/** An item of `set` or `setString`: a value, several values, or a file that contains the value. */
export interface HelmfileSet {
  readonly name: string
  readonly value?: unknown
  readonly values?: readonly unknown[]
  readonly file?: string
}

/** A release as helmfile writes it, limited to the keys that kk imports or reports. */
export interface HelmfileRelease {
  readonly name: string
  readonly namespace?: string
  readonly chart?: string
  readonly version?: string
  readonly installed?: boolean
  /** A path in the values of the helmfile: `db.enabled`. */
  readonly condition?: string
  readonly needs?: readonly string[]
  /** In seconds; 0 for helm's default. */
  readonly timeout?: number
  readonly values?: readonly unknown[]
  readonly set?: readonly HelmfileSet[]
  readonly setString?: readonly HelmfileSet[]
  readonly [key: string]: unknown
}

/**
 * A helmfile, as printed by `helmfile build` or as written; it conforms to `HELMFILE_SCHEMA` without nulls.
 */
export interface Helmfile {
  /** The namespace of all its releases; overrides theirs. */
  readonly namespace?: string
  readonly repositories?: readonly {
    readonly name?: string
    readonly url?: string
    readonly oci?: boolean
  }[]
  readonly helmDefaults?: {readonly timeout?: number; readonly kubeContext?: string}
  readonly kubeContext?: string
  readonly releases?: readonly HelmfileRelease[]
  /** The values of the helmfile itself, as rendered by `helmfile build`. */
  readonly renderedvalues?: unknown
  readonly [key: string]: unknown
}

const TEXT = {title: 'a string', type: ['string', 'null']} as const satisfies JsonSchema

const WORD = {title: 'a string', type: 'string'} as const satisfies JsonSchema

const SWITCH = {title: 'true or false', type: ['boolean', 'null']} as const satisfies JsonSchema

const SECONDS = {title: 'whole seconds', type: ['integer', 'null'], minimum: 0} as const satisfies JsonSchema

/** The schema of a value in an item of `set`. */
const SCALAR = {
  title: 'a string, a number, true or false',
  type: ['string', 'number', 'boolean', 'null'],
} as const satisfies JsonSchema

const SETS: JsonSchema = {
  title: 'a list of {name, value}',
  type: ['array', 'null'],
  items: {
    title: 'a map of name and value',
    type: 'object',
    properties: {
      name: WORD,
      value: SCALAR,
      values: {title: 'a list of strings', type: ['array', 'null'], items: SCALAR},
      file: TEXT,
    },
    required: ['name'],
  },
}

const RELEASE: JsonSchema = {
  title: 'a map of settings of a release',
  type: 'object',
  properties: {
    name: WORD,
    namespace: TEXT,
    chart: TEXT,
    version: TEXT,
    installed: SWITCH,
    condition: TEXT,
    needs: {title: 'a list of names of releases', type: ['array', 'null'], items: WORD},
    timeout: SECONDS,
    values: {
      title: 'a list of files and maps',
      type: ['array', 'null'],
      items: {title: 'the path of a file, or a map of values', type: ['string', 'object', 'null']},
    },
    set: SETS,
    setString: SETS,
  },
  required: ['name'],
}

/** The keys of a helmfile that kk reads; null means unset, as in helmfile. Other keys are ignored. */
export const HELMFILE_SCHEMA: JsonSchema = {
  title: 'a map with releases',
  type: ['object', 'null'],
  properties: {
    namespace: TEXT,
    kubeContext: TEXT,
    helmDefaults: {
      title: 'a map of settings',
      type: ['object', 'null'],
      properties: {timeout: SECONDS, kubeContext: TEXT},
    },
    repositories: {
      title: 'a list of repositories',
      type: ['array', 'null'],
      items: {
        title: 'a map of name and url',
        type: 'object',
        properties: {name: TEXT, url: TEXT, oci: SWITCH},
      },
    },
    releases: {title: 'a list of releases', type: ['array', 'null'], items: RELEASE},
  },
}
