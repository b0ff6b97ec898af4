import type {FastifyInstance} from 'fastify'
import type * as libraries from '../libraries.ts'

/** Prometheus' metrics of the process, and of each route by method and status. */
export function metricsRoute(
  app: FastifyInstance,
  {
    Histogram,
    Registry,
    collectDefaultMetrics,
  }: Pick<typeof libraries, 'Histogram' | 'Registry' | 'collectDefaultMetrics'>,
): void {
  const registry = new Registry()
  collectDefaultMetrics({register: registry})
  const duration = new Histogram({
    name: 'kk_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    // The route and not the address, of which there is no end.
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
