import type {FastifyInstance} from 'fastify'
import {KkError} from '../base/errors.ts'
import type {ServiceFor} from './helm-chart-routes.ts'
import {documented, flag, name, namespace, yaml} from './schemas.ts'

type Flag = 'true' | 'false'

interface HistoryQuery {
  readonly name?: string
  readonly namespace?: string
  readonly show_secrets?: Flag
  readonly limit?: string
  readonly before?: string
}

interface ImportRequest {
  Querystring: {readonly dry_run?: Flag}
  Body: {readonly document: string; readonly prune?: boolean}
}

/** The longest document, in bytes: a store is sent in one piece, and is more than the overrides of a chart. */
const LONGEST_DOCUMENT = 16 * 1024 ** 2

/** Adds the resources of the store as a whole: who changed what, and all of it as one document. */
export function storeRoutes(app: FastifyInstance, serviceFor: ServiceFor): void {
  app.get<{Querystring: HistoryQuery}>(
    '/v1/history',
    {
      schema: documented('Show who changed which overrides, and when', {
        querystring: HISTORY_QUERY,
        ok: {200: HISTORY},
      }),
    },
    async ({query, caller}) => {
      const how = {
        showSecrets: query.show_secrets === 'true',
        limit: Number(query.limit ?? HISTORY_LIMIT),
        before: query.before === undefined ? undefined : Number(query.before),
      }
      return {entries: await serviceFor(caller).history(placeOf(query), how)}
    },
  )

  app.get<{Querystring: {readonly show_secrets?: Flag}}>(
    '/v1/store',
    {
      schema: documented('Export all overrides as one document', {
        querystring: EXPORT_QUERY,
        ok: {200: EXPORTED},
      }),
    },
    async ({query, caller}) => ({
      document: await serviceFor(caller).export({showSecrets: query.show_secrets === 'true'}),
    }),
  )

  app.post<ImportRequest>(
    '/v1/store',
    {
      bodyLimit: LONGEST_DOCUMENT,
      schema: documented('Import such a document, all of it or nothing', {
        querystring: IMPORT_QUERY,
        body: IMPORT,
        ok: {200: IMPORTED},
      }),
    },
    async ({query, body: {document, prune = false}, caller}) =>
      serviceFor(caller).import(document, {file: 'the document', prune, dryRun: query.dry_run === 'true'}),
  )
}

function placeOf({name, namespace}: HistoryQuery) {
  if (name !== undefined && namespace !== undefined) return {name, namespace}
  if (name === undefined && namespace === undefined) return undefined
  throw new KkError('KK_USAGE', 'expected name and namespace, or neither', {
    hint: 'a chart has overrides of its own in each of its namespaces',
  })
}

/** JSON Schemas of the store as a whole: its history, and what is exported and imported. */

const show_secrets = flag('Show secrets as they are; needs a token that may write.')

/** Entries of a page, where nobody says how many. */
const HISTORY_LIMIT = 1000

const HISTORY_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: {...name, description: 'The chart; to be given together with `namespace`.'},
    namespace: {...namespace, description: 'Its namespace; to be given together with `name`.'},
    show_secrets,
    limit: {
      type: 'string',
      pattern: '^[1-9][0-9]{0,3}$',
      description: `At most so many entries, by default ${HISTORY_LIMIT}, and fewer where they are long.`,
    },
    before: {
      type: 'string',
      pattern: '^[0-9]{1,15}$',
      description: 'Only what is older than the entry with this `id`: the last one of the page before.',
    },
  },
} as const

const nullableYaml = (description: string) =>
  ({type: ['string', 'null'], description: `${description} YAML; null for none.`}) as const

const HISTORY = {
  type: 'object',
  required: ['entries'],
  properties: {
    entries: {
      type: 'array',
      description: 'Newest first.',
      items: {
        type: 'object',
        required: ['id', 'at', 'who', 'name', 'namespace', 'before', 'after'],
        properties: {
          id: {type: 'integer'},
          at: {type: 'string', description: 'ISO 8601.'},
          who: {type: 'string'},
          name,
          namespace,
          before: nullableYaml('What the deployer gave before the change.'),
          after: nullableYaml('The same after it.'),
        },
      },
    },
  },
} as const

const EXPORT_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    show_secrets: flag(
      'In clear, with generated secrets; needs a token that may write. Else what is encrypted stays so.',
    ),
  },
} as const

const document = yaml(
  'All that the store holds, but its history: a map with `version` and what an export has; other texts are refused (400).',
)

const EXPORTED = {type: 'object', required: ['document'], properties: {document}} as const

const IMPORT_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {dry_run: flag('Only say what would change.')},
} as const

const IMPORT = {
  type: 'object',
  required: ['document'],
  additionalProperties: false,
  properties: {
    document,
    prune: {type: 'boolean', description: 'Delete overrides that the document does not have.'},
  },
  examples: [{document: 'version: 1\noverrides: {rabbitmq: {openstack: {pod: {replicas: 2}}}}\n'}],
} as const

const place = {type: 'object', required: ['name', 'namespace'], properties: {name, namespace}} as const

const IMPORTED = {
  type: 'object',
  required: ['changed', 'secrets'],
  properties: {
    changed: {
      type: 'array',
      items: {...place, properties: {name, namespace, action: {type: 'string', enum: ['set', 'delete']}}},
    },
    secrets: {type: 'array', items: place, description: 'Generated secrets that are added or replaced.'},
    becomes: {type: 'string', description: 'The id of the store that a new one becomes.'},
  },
} as const
