import type {FastifyInstance, FastifySchema} from 'fastify'
import type * as prometheus from 'prom-client'
import {asKkError} from '../base/errors.ts'
import {withoutDetails} from './errors.ts'
import {ERROR} from './schemas.ts'

const STATUS = {type: 'string', examples: ['ok']} as const
const ALIVE = {type: 'object', required: ['status'], properties: {status: STATUS}} as const
const NOT_READY = {
  ...ERROR,
  description: 'Not ready, for example because the store does not respond or is encrypted with another key.',
  required: ['status', 'error'],
  properties: {...ERROR.properties, status: {...STATUS, examples: ['not ready']}},
} as const

/** Adds `/healthz`, which succeeds if the process responds, and `/readyz`, which also checks the store. */
export function healthRoutes(app: FastifyInstance, ready: () => Promise<unknown>): void {
  const schema = (summary: string, answers: object): FastifySchema =>
    ({summary, tags: ['operation'], security: [], response: {200: ALIVE, ...answers}}) as FastifySchema
  app.get('/healthz', {schema: schema('Liveness of the service', {})}, async () => ({status: 'ok'}))
  app.get(
    '/readyz',
    {schema: schema('Readiness of the service and its store', {503: NOT_READY})},
    async (request, reply) => {
      try {
        await ready()
        return reply.send({status: 'ok'})
      } catch (error) {
        const {code, message, hint} = asKkError(error)
        request.log.warn({error: {code, message, hint}}, 'not ready')
        return reply.code(503).send({status: 'not ready', error: withoutDetails(code)})
      }
    },
  )
}

/** Adds `/metrics` for Prometheus: process metrics, and request durations per route, method and status. */
export function metricsRoute(
  app: FastifyInstance,
  {
    Histogram,
    Registry,
    collectDefaultMetrics,
  }: Pick<typeof prometheus, 'Histogram' | 'Registry' | 'collectDefaultMetrics'>,
): void {
  const registry = new Registry()
  // The default of 10 ms takes over half a percent of a core in an idle process.
  collectDefaultMetrics({register: registry, eventLoopMonitoringPrecision: 100})
  const duration = new Histogram({
    name: 'kk_http_request_duration_seconds',
    help: 'Time from a request to the end of its response.',
    // The route instead of the path, to limit cardinality.
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    duration.observe({method: request.method, route, status: reply.statusCode}, reply.elapsedTime / 1000)
  })
  app.get(
    '/metrics',
    {schema: {summary: 'Metrics for Prometheus', tags: ['operation']}},
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  )
}
