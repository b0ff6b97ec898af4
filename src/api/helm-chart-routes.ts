import type {FastifyInstance, FastifyReply} from 'fastify'
import type {Condition, OverrideService, OverrideUpdate} from '../overrides/service.ts'
import {overridesDocument, updatedDocument} from '../report/overrides/overrides-text.ts'
import {explainedKeyDocument} from '../report/values/explained-text.ts'
import {
  CHART_PARAMS,
  CHART_QUERY,
  EXPLANATION_SCHEMA,
  IF_MATCH,
  LIST,
  LIST_QUERY,
  OVERRIDES,
  routeSchema,
  SHOW_QUERY,
  UPDATE,
  UPDATE_QUERY,
  UPDATED,
  withEtagHeader,
} from './schemas.ts'

type Flag = 'true' | 'false'

interface ListQuery {
  readonly combined?: Flag
  readonly name?: string | readonly string[]
  readonly show_secrets?: Flag
}

interface ChartRequest {
  Params: {readonly name: string}
  Querystring: {readonly namespace: string; readonly show_secrets?: Flag; readonly dry_run?: Flag}
  Headers: {readonly 'if-match'?: string}
}

interface UpdateBody {
  readonly flag: OverrideUpdate['flag']
  readonly values: {
    readonly files?: readonly string[]
    readonly set?: readonly string[]
    readonly set_string?: readonly string[]
  }
}

/** Returns the override service for a caller, whose name is recorded in the history. */
export type ServiceFor = (caller: string) => OverrideService

/** Adds the routes for the overrides of charts: `/v1/helm_charts`. */
export function helmChartRoutes(app: FastifyInstance, serviceFor: ServiceFor): void {
  for (const url of ['/v1/helm_charts', '/v1/helm_charts/']) {
    const schema = routeSchema('List the charts that have overrides', {
      querystring: LIST_QUERY,
      ok: {200: LIST},
    })
    app.get<{Querystring: ListQuery}>(
      url,
      {schema: {...schema, hide: url.endsWith('/')}},
      async ({query, caller}) => ({charts: await list(serviceFor(caller), query)}),
    )
  }

  const chart = '/v1/helm_charts/:name'
  app.get<ChartRequest>(
    chart,
    {
      schema: routeSchema('Show the overrides of a chart', {
        params: CHART_PARAMS,
        querystring: SHOW_QUERY,
        ok: {200: withEtagHeader(OVERRIDES)},
      }),
    },
    async ({params, query, caller}, reply) => {
      const shown = await serviceFor(caller).show(params.name, query.namespace, {
        showSecrets: query.show_secrets === 'true',
      })
      return withEtag(reply, shown.etag).send(overridesDocument(shown))
    },
  )

  app.get<ChartRequest>(
    `${chart}/explain`,
    {
      schema: routeSchema('Explain which layer each combined value comes from', {
        params: CHART_PARAMS,
        querystring: SHOW_QUERY,
        ok: {200: EXPLANATION_SCHEMA},
      }),
    },
    async ({params, query, caller}) => {
      const how = {showSecrets: query.show_secrets === 'true'}
      const keys = await serviceFor(caller).explain(params.name, query.namespace, how)
      return {name: params.name, namespace: query.namespace, keys: keys.map(explainedKeyDocument)}
    },
  )

  app.patch<ChartRequest & {Body: UpdateBody}>(
    chart,
    {
      schema: routeSchema('Update user overrides', {
        params: CHART_PARAMS,
        querystring: UPDATE_QUERY,
        headers: IF_MATCH,
        body: UPDATE,
        ok: {200: withEtagHeader(UPDATED)},
      }),
    },
    async ({params, query, body, headers, caller}, reply) => {
      const ifMatch = parseIfMatch(headers['if-match'])
      const change = {
        ...parseUpdate(body),
        ...(ifMatch !== undefined && {ifMatch}),
        dryRun: query.dry_run === 'true',
        showSecrets: query.show_secrets === 'true',
      }
      const updated = await serviceFor(caller).update(params.name, query.namespace, change)
      return withEtag(reply, updated.etag).send(updatedDocument(updated))
    },
  )

  app.delete<ChartRequest>(
    chart,
    {
      schema: routeSchema('Delete user overrides', {
        params: CHART_PARAMS,
        querystring: CHART_QUERY,
        headers: IF_MATCH,
        ok: {204: {type: 'null', description: 'Deleted, or there were none.'}},
      }),
    },
    async ({params, query, headers, caller}, reply) => {
      const ifMatch = parseIfMatch(headers['if-match'])
      await serviceFor(caller).delete(params.name, query.namespace, ifMatch === undefined ? {} : {ifMatch})
      return reply.code(204).send()
    },
  )
}

/**
 * Returns the charts with their namespaces, or with `combined` each with its overrides. Rejects like
 * `OverrideService.show` for an inactive chart.
 */
async function list(
  service: OverrideService,
  {combined, name, show_secrets}: ListQuery,
): Promise<readonly object[]> {
  const names = name === undefined ? undefined : new Set([name].flat())
  const all = await service.charts()
  const unknown = [...(names ?? [])].find((each) => !all.some((chart) => chart.name === each))
  if (unknown !== undefined) await service.show(unknown, '')
  const charts = all.filter((chart) => names?.has(chart.name) ?? true)
  if (combined !== 'true') return charts
  const places = charts.flatMap((chart) =>
    chart.namespaces.map((namespace) => ({name: chart.name, namespace})),
  )
  return Promise.all(
    places.map(async (place) => {
      const shown = await service.show(place.name, place.namespace, {showSecrets: show_secrets === 'true'})
      return {...place, combined_overrides: shown.combinedOverrides}
    }),
  )
}

function parseUpdate({flag, values}: UpdateBody): OverrideUpdate {
  return {
    flag,
    values: {
      files: (values.files ?? []).map((text, index) => ({source: `values.files[${index}]`, text})),
      set: values.set ?? [],
      setString: values.set_string ?? [],
    },
  }
}

/** Adds the etag to a response; without overrides it is empty, which `If-Match` accepts for none. */
function withEtag(reply: FastifyReply, etag: string | undefined): FastifyReply {
  return reply.header('etag', `"${etag ?? ''}"`)
}

const ETAG = /(?:W\/)?"([^"]*)"/g

/**
 * Returns the etags of an `If-Match` header without their quotes; weak ones are compared like strong ones.
 * `*` is returned as is, and so is a string that is not a list of etags.
 */
function parseIfMatch(header: string | undefined): Condition | undefined {
  if (header === undefined) return undefined
  const isList = header.replace(ETAG, '').replace(/[\s,]/g, '') === '' && header.includes('"')
  return isList ? [...header.matchAll(ETAG)].map(([, etag = '']) => etag) : [header.trim()]
}
