import type {FastifyInstance} from 'fastify'
import {KkError} from '../base/errors.ts'
import type {ServiceFor} from './helm-chart-routes.ts'
import {flag, name, namespace, routeSchema, yaml} from './schemas.ts'

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

/** The maximum size of a store document, in bytes: it holds the overrides of all charts. */
const MAX_DOCUMENT_BYTES = 16 * 1024 ** 2

/** Adds the routes for the whole store: its history, and its content as one document. */
export function storeRoutes(app: FastifyInstance, serviceFor: ServiceFor): void {
  app.get<{Querystring: HistoryQuery}>(
    '/v1/history',
    {
      schema: routeSchema('Show the history of overrides: time, author, and change', {
        querystring: HISTORY_QUERY,
        ok: {200: HISTORY},
      }),
    },
    async ({query, caller}) => {
      const how = {
        showSecrets: query.show_secrets === 'true',
        limit: Number(query.limit ?? DEFAULT_PAGE_ENTRIES),
        before: query.before === undefined ? undefined : Number(query.before),
      }
      return {entries: await serviceFor(caller).history(chartPlace(query), how)}
    },
  )

  app.get<{Querystring: {readonly show_secrets?: Flag}}>(
    '/v1/store',
    {
      schema: routeSchema('Export all overrides as one document', {
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
      bodyLimit: MAX_DOCUMENT_BYTES,
      schema: routeSchema('Import an exported document, atomically', {
        querystring: IMPORT_QUERY,
        body: IMPORT,
        ok: {200: IMPORTED},
      }),
    },
    async ({query, body: {document, prune = false}, caller}) =>
      serviceFor(caller).import(document, {file: 'the document', prune, dryRun: query.dry_run === 'true'}),
  )
}

function chartPlace({name, namespace}: HistoryQuery) {
  if (name !== undefined && namespace !== undefined) return {name, namespace}
  if (name === undefined && namespace === undefined) return undefined
  throw new KkError('KK_USAGE', 'expected name and namespace, or neither', {
    hint: 'a chart has separate overrides in each of its namespaces',
  })
}

/** JSON Schemas of the whole store: its history, export and import. */

const show_secrets = flag('Do not mask secrets; requires a token with the scope write.')

/** The default page size, in entries. */
const DEFAULT_PAGE_ENTRIES = 1000

const HISTORY_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: {...name, description: 'The chart; requires `namespace`.'},
    namespace: {...namespace, description: 'Its namespace; requires `name`.'},
    show_secrets,
    limit: {
      type: 'string',
      pattern: '^[1-9][0-9]{0,3}$',
      description: `Maximum number of entries, by default ${DEFAULT_PAGE_ENTRIES}; fewer if they are large.`,
    },
    before: {
      type: 'string',
      pattern: '^[0-9]{1,15}$',
      description: 'Only entries older than the one with this `id`, the last of the previous page.',
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
          before: nullableYaml('User overrides before the change.'),
          after: nullableYaml('User overrides after the change.'),
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
      'Export secrets in plain text, including generated ones; requires a token with the scope write. Otherwise encrypted values stay encrypted.',
    ),
  },
} as const

const document = yaml(
  'The content of the store without its history: a map with `version`, as exported; anything else is rejected (400).',
)

const EXPORTED = {type: 'object', required: ['document'], properties: {document}} as const

const IMPORT_QUERY = {
  type: 'object',
  additionalProperties: false,
  properties: {dry_run: flag('Only return what would change.')},
} as const

const IMPORT = {
  type: 'object',
  required: ['document'],
  additionalProperties: false,
  properties: {
    document,
    prune: {type: 'boolean', description: 'Delete overrides that are not in the document.'},
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
    secrets: {type: 'array', items: place, description: 'Generated secrets that were added or replaced.'},
    becomes: {type: 'string', description: 'The id of the exported store that an empty store takes over.'},
  },
} as const
