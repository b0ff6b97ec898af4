import type {FastifySchema} from 'fastify'

/** JSON Schemas of the resource `helm_charts`, which validate requests and generate OpenAPI. */

/** A string without NUL, which databases may reject. */
const NO_NUL = '^[^\\u0000]*$'

export const name = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  pattern: NO_NUL,
  description: 'The chart.',
  examples: ['rabbitmq'],
} as const
export const namespace = {
  type: 'string',
  minLength: 1,
  maxLength: 63,
  pattern: NO_NUL,
  description: 'The namespace.',
  examples: ['openstack'],
} as const
export const yaml = (description: string) =>
  ({type: 'string', description: `${description} YAML; "" for none.`}) as const
export const flag = (description: string) => ({type: 'string', enum: ['true', 'false'], description}) as const

export const CHART_PARAMS = {type: 'object', required: ['name'], properties: {name}} as const

export const CHART_QUERY = {
  type: 'object',
  required: ['namespace'],
  additionalProperties: false,
  properties: {namespace},
} as const

const show_secrets = flag('Do not mask secrets; requires a token with the scope write.')

export const SHOW_QUERY = {...CHART_QUERY, properties: {namespace, show_secrets}} as const

export const UPDATE_QUERY = {
  ...SHOW_QUERY,
  properties: {namespace, show_secrets, dry_run: flag('Only return what would be stored.')},
} as const

export const LIST_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    combined: flag('Return the combined overrides of each chart in each of its namespaces.'),
    name: {
      anyOf: [name, {type: 'array', items: name, maxItems: 500}],
      description: 'Only these charts; can be repeated.',
    },
    show_secrets,
  },
} as const

export const LIST = {
  type: 'object',
  required: ['charts'],
  properties: {
    charts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name,
          namespaces: {type: 'array', items: {type: 'string'}, description: 'Only without `combined`.'},
          namespace: {type: 'string', description: 'Only with `combined`.'},
          combined_overrides: yaml('Only with `combined`: all layers above the defaults of the chart.'),
        },
      },
    },
  },
} as const

export const OVERRIDES = {
  type: 'object',
  required: ['name', 'namespace', 'system_overrides', 'user_overrides', 'combined_overrides'],
  properties: {
    name,
    namespace,
    system_overrides: yaml('Overrides that kk generates from facts about the cluster.'),
    user_overrides: yaml('Overrides that the deployer set.'),
    combined_overrides: yaml('All layers above the defaults of the chart.'),
  },
} as const

const EXPRESSION = {type: 'string', minLength: 1} as const

export const UPDATE = {
  type: 'object',
  required: ['flag', 'values'],
  additionalProperties: false,
  properties: {
    flag: {
      type: 'string',
      enum: ['reuse', 'reset'],
      description: 'Start from the stored overrides (reuse), or from none (reset).',
    },
    values: {
      type: 'object',
      additionalProperties: false,
      properties: {
        files: {
          type: 'array',
          maxItems: 100,
          items: {type: 'string'},
          description: 'YAML documents, merged in order.',
        },
        set: {
          type: 'array',
          maxItems: 1000,
          items: EXPRESSION,
          description: 'Expressions as for `helm --set`, applied after the files.',
        },
        set_string: {
          type: 'array',
          maxItems: 1000,
          items: EXPRESSION,
          description: 'Expressions as for `helm --set-string`, applied last.',
        },
      },
    },
  },
  examples: [{flag: 'reuse', values: {files: [], set: ['pod.replicas=2']}}],
} as const

export const UPDATED = {
  type: 'object',
  required: ['name', 'namespace', 'user_overrides'],
  properties: {user_overrides: yaml('Overrides that the deployer set.'), namespace, name},
} as const

const statement = {
  type: 'object',
  properties: {
    layer: {type: 'string'},
    source: {type: 'string'},
    file: {type: 'string'},
    line: {type: 'integer'},
    column: {type: 'integer'},
    value: {},
  },
} as const

export const EXPLANATION_SCHEMA = {
  type: 'object',
  required: ['keys'],
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'path', 'winner', 'lost'],
        properties: {
          key: {type: 'string'},
          path: {type: 'array', items: {type: 'string'}},
          value: {},
          removed: {type: 'boolean', description: 'A null removed the key.'},
          winner: statement,
          lost: {type: 'array', items: statement},
        },
      },
    },
  },
} as const

export const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: {
          type: 'string',
          description: 'Stable; see the error reference of kk.',
          examples: ['KK_UNKNOWN_CHART'],
        },
        message: {type: 'string'},
        hint: {type: 'string', description: 'What to do next.'},
      },
    },
  },
} as const

/** The error responses of every route. */
const REFUSALS = {
  '4xx': {...ERROR, description: 'Rejected: change the request, or retry later (429).'},
  503: {
    ...ERROR,
    description:
      'The store cannot be used (KK_STORE_DATABASE), or has no key for its secrets (KK_STORE_KEY): the operator of kk serve has to fix it.',
  },
  '5xx': {...ERROR, description: 'Internal error; nothing was changed.'},
} as const

/** Returns the schema of a response with an `ETag`. */
export function withEtagHeader(schema: object): object {
  const description = 'Changes with the user overrides, "" if there are none; send it as If-Match.'
  return {...schema, headers: {ETag: {type: 'string', description}}}
}

export const IF_MATCH = {
  type: 'object',
  properties: {
    'if-match': {
      type: 'string',
      maxLength: 2_000,
      description:
        'The ETag of the overrides on which the change is based, "" for none, * for any existing ones, or several separated by commas. If the stored overrides have another ETag, the response is 409.',
    },
  },
} as const

interface Documented {
  readonly params?: object
  readonly querystring?: object
  readonly headers?: object
  readonly body?: object
  readonly ok: Readonly<Record<number, object>>
}

/** Returns the schema of a route, with its summary and the error responses of every route. */
export function routeSchema(summary: string, {ok, ...request}: Documented): FastifySchema {
  return {summary, tags: ['overrides'], ...request, response: {...ok, ...REFUSALS}}
}
