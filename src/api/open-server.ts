import type {FastifyInstance, FastifyReply} from 'fastify'
import {guardAccess, isOpen} from './access.ts'
import {answerClientError} from './client-errors.ts'
import {answerTo} from './errors.ts'
import {helmChartRoutes, type ServiceFor} from './helm-charts/routes.ts'
import {readJsonBodies} from './json-body.ts'
import type * as libraries from './libraries.ts'
import {loggedRequest} from './logged-request.ts'
import {healthRoutes} from './operations/health.ts'
import {metricsRoute} from './operations/metrics.ts'
import {describeApi, openApiRoutes} from './operations/openapi-routes.ts'
import {collectMethods} from './other-methods.ts'
import {pageRoutes} from './pages/routes.ts'
import type {ReleasesOf} from './pages/show-chart.ts'
import {OWN_ANSWERS, refuseOddHeads} from './request-heads.ts'
import {storeRoutes} from './store/routes.ts'
import type {Tokens} from './tokens.ts'

export interface ServerOptions {
  readonly serviceFor: ServiceFor
  readonly releasesOf: ReleasesOf
  /** Rejects when the service cannot do its work now. */
  readonly ready: () => Promise<unknown>
  /** Undefined only on loopback. */
  readonly tokens: Tokens | undefined
  readonly version: string
  readonly tls?: {readonly key: string; readonly cert: string}
  /** Lines of JSON; none by default. */
  readonly log?: {readonly level: string; readonly stream: {write(line: string): void}}
  readonly limits?: Partial<Limits>
}

interface Limits {
  readonly bodyBytes: number
  /** Milliseconds until a request must have arrived. */
  readonly requestTime: number
  /** Of one address. */
  readonly requestsPerMinute: number
}

/** Node takes no more of a request before its body. */
const LONGEST_HEAD = 16_384

/** Node looks so often for requests that have not arrived. */
const LOOK_MILLISECONDS = 1_000

const LIMITS: Limits = {bodyBytes: 1024 ** 2, requestTime: 30_000, requestsPerMinute: 60_000}

/** What a page of the service may do: load nothing, run no script, be framed by nobody. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The REST service, ready to listen. To be closed. */
export async function openServer(
  {serviceFor, releasesOf, ready, tokens, version, tls, log, limits}: ServerOptions,
  {fastify, swagger, rateLimit, ...metrics}: typeof libraries,
): Promise<FastifyInstance> {
  const {bodyBytes, requestTime, requestsPerMinute} = {...LIMITS, ...limits}
  const waiting = {
    requestTimeout: requestTime,
    headersTimeout: requestTime,
    connectionsCheckingInterval: Math.min(LOOK_MILLISECONDS, requestTime),
    ...OWN_ANSWERS,
  }
  const app = fastify({
    bodyLimit: bodyBytes,
    requestTimeout: requestTime,
    clientErrorHandler: answerClientError,
    // Longer ones are refused by the routes' schemas, as all that is wrong with a request.
    routerOptions: {maxParamLength: LONGEST_HEAD},
    // What the router refuses does not reach the handler of errors.
    frameworkErrors: (error, _request, reply) => {
      const {status, body} = answerTo(error)
      void (reply as unknown as FastifyReply).code(status).send(body)
    },
    // A stop does not wait for clients that keep connections open.
    forceCloseConnections: 'idle',
    logger: log ? {...log, serializers: {req: loggedRequest}} : false,
    ajv: {customOptions: {removeAdditional: false, coerceTypes: false, useDefaults: false}},
    ...(tls ? {https: {...tls, ...waiting}} : {http: waiting}),
  }) as unknown as FastifyInstance
  app.setErrorHandler((error, request, reply) => {
    const {status, body} = answerTo(error)
    // Never the error itself: what a child program or a database says can hold values.
    if (status >= 500) request.log.error({code: body.error.code}, 'the request failed')
    return reply.code(status).send(body)
  })
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      error: {
        code: 'KK_NOT_FOUND',
        message: `there is no ${request.method} of this address`,
        hint: 'see /docs',
      },
    }),
  )
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'content-security-policy': PAGE_POLICY,
    })
  })
  endIdleConnections(app)
  refuseOddHeads(app)
  readJsonBodies(app)
  await describeApi(app, {plugin: swagger, version, secured: tokens !== undefined})
  await app.register(rateLimit, {global: false, max: requestsPerMinute, timeWindow: '1 minute'})
  const limited = app.rateLimit()
  // Before tokens are looked at, and whether or not there is such an address: so nobody can try many of either.
  app.addHook('onRequest', async function (request, reply) {
    if (!isOpen(request)) await limited.call(this, request, reply)
  })
  guardAccess(app, tokens)
  const refuseOtherMethods = collectMethods(app)
  metricsRoute(app, metrics)
  healthRoutes(app, ready)
  helmChartRoutes(app, serviceFor)
  storeRoutes(app, serviceFor)
  openApiRoutes(app)
  await pageRoutes(app, {serviceFor, releasesOf})
  refuseOtherMethods()
  await app.ready()
  return app
}

/** So long may what has begun take after a stop. */
const LAST_MILLISECONDS = 10_000

/** A connection whose last answer is sent after the stop began would be kept open for its client's next request. */
function endIdleConnections(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined
  let end: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setInterval(() => app.server.closeIdleConnections(), 50)
    // Half a request may never become a whole one.
    end = setTimeout(() => app.server.closeAllConnections(), LAST_MILLISECONDS)
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    clearTimeout(end)
  })
}
