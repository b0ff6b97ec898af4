import type {FastifyInstance} from 'fastify'
import {KkError} from '../../errors.ts'
import {documented} from '../documented.ts'
import type {ServiceFor} from '../helm-charts/routes.ts'
import {
  EXPORT_QUERY,
  EXPORTED,
  HISTORY,
  HISTORY_LIMIT,
  HISTORY_QUERY,
  IMPORT,
  IMPORT_QUERY,
  IMPORTED,
} from './schemas.ts'

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

/** A store is sent in one piece, and is more than the overrides of a chart. */
const LONGEST_DOCUMENT = 16 * 1024 ** 2

/** The store of overrides as a whole: who changed what, and all of it as one document. */
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
      serviceFor(caller).import(document, {
        file: 'the document',
        prune,
        dryRun: query.dry_run === 'true',
      }),
  )
}

function placeOf({name, namespace}: HistoryQuery) {
  if (name !== undefined && namespace !== undefined) return {name, namespace}
  if (name === undefined && namespace === undefined) return undefined
  throw new KkError('KK_USAGE', 'expected name and namespace, or neither', {
    hint: 'a chart has overrides of its own in each of its namespaces',
  })
}
