import type {JsonSchema} from '../../base/validate.ts'

/** One of `set` and `setString`: a value, several, or a file that holds it. */
export interface HelmfileSet {
  readonly name: string
  readonly value?: unknown
  readonly values?: readonly unknown[]
  readonly file?: string
}

/** A release as helmfile writes it; only what has a place in an environment, or is worth a word. */
export interface HelmfileRelease {
  readonly name: string
  readonly namespace?: string
  readonly chart?: string
  readonly version?: string
  readonly installed?: boolean
  /** A place in the values of the helmfile: `db.enabled`. */
  readonly condition?: string
  readonly needs?: readonly string[]
  /** In seconds; 0 is helm's own. */
  readonly timeout?: number
  readonly values?: readonly unknown[]
  readonly set?: readonly HelmfileSet[]
  readonly setString?: readonly HelmfileSet[]
  readonly [key: string]: unknown
}

/** A helmfile, as `helmfile build` prints it or as its YAML stands; it follows `HELMFILE_SCHEMA`, and nothing in it is null. */
export interface Helmfile {
  /** That of all its releases, whatever they say. */
  readonly namespace?: string
  readonly repositories?: readonly {
    readonly name?: string
    readonly url?: string
    readonly oci?: boolean
  }[]
  readonly helmDefaults?: {readonly timeout?: number; readonly kubeContext?: string}
  readonly kubeContext?: string
  readonly releases?: readonly HelmfileRelease[]
  /** The values of the helmfile itself, as `helmfile build` has worked them out. */
  readonly renderedvalues?: unknown
  readonly [key: string]: unknown
}

const TEXT = {title: 'a text', type: ['string', 'null']} as const satisfies JsonSchema

const WORD = {title: 'a text', type: 'string'} as const satisfies JsonSchema

const SWITCH = {title: 'true or false', type: ['boolean', 'null']} as const satisfies JsonSchema

const SECONDS = {title: 'whole seconds', type: ['integer', 'null'], minimum: 0} as const satisfies JsonSchema

/** The schema of a value in an item of `set`. */
const SCALAR = {
  title: 'a text, a number, true or false',
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
      values: {title: 'a list of texts', type: ['array', 'null'], items: SCALAR},
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

/** The keys of a helmfile that kk reads; null is as good as nothing, as in helmfile. All other keys are passed over. */
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
