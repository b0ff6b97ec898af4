import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http'
import type {Socket} from 'node:net'
import type {FastifyInstance, FastifyReply, FastifyRequest, RouteOptions} from 'fastify'
import type * as prometheus from 'prom-client'
import {asKkError, KkError} from '../base/errors.ts'
import {guardAccess, isOpen} from './access.ts'
import {type ErrorBody, errorResponse} from './errors.ts'
import {helmChartRoutes, type ServiceFor} from './helm-chart-routes.ts'
import type * as libraries from './libraries.ts'
import {describeApi, openApiRoutes} from './openapi-routes.ts'
import {healthRoutes, metricsRoute} from './operation-routes.ts'
import type {ReleasesOf} from './pages/answer-form.ts'
import {pageRoutes} from './pages/page-routes.ts'
import type {EnvironmentViews} from './pages/views.ts'
import {storeRoutes} from './store-routes.ts'
import type {Tokens} from './tokens.ts'

export interface ServerOptions {
  readonly serviceFor: ServiceFor
  readonly releasesOf: ReleasesOf
  /** The data of the pages about an environment; undefined for a service of overrides only. */
  readonly views?: EnvironmentViews | undefined
  /** Rejects if the service cannot serve requests now. */
  readonly ready: () => Promise<unknown>
  /** The tokens that are accepted; undefined only on loopback. */
  readonly tokens: Tokens | undefined
  readonly version: string
  readonly tls?: {readonly key: string; readonly cert: string}
  /** The log as JSON lines; none by default. */
  readonly log?: {readonly level: string; readonly stream: {write(line: string): void}}
  readonly limits?: Partial<Limits>
}

interface Limits {
  readonly bodyBytes: number
  /** The timeout for receiving a request, in milliseconds. */
  readonly requestTime: number
  /** The idle timeout of a connection, in milliseconds, including clients that do not read their response. */
  readonly silentTime: number
  /** The rate limit per client address. */
  readonly requestsPerMinute: number
}

/** The maximum size of request headers, in bytes. */
const MAX_HEADER_BYTES = 16_384

/** The interval at which Node checks for request timeouts. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000

const LIMITS: Limits = {
  bodyBytes: 1024 ** 2,
  requestTime: 30_000,
  // Longer than any response takes.
  silentTime: 120_000,
  requestsPerMinute: 60_000,
}

/**
 * The Content-Security-Policy of all pages: files and requests only of this service, nothing inline, no
 * framing. The icon is an empty one.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Creates the REST service, ready to listen. The caller closes it. */
export async function openServer(
  {serviceFor, releasesOf, views, ready, tokens, version, tls, log, limits}: ServerOptions,
  {fastify, swagger, rateLimit}: typeof libraries,
  metrics: typeof prometheus,
): Promise<FastifyInstance> {
  const {bodyBytes, requestTime, silentTime, requestsPerMinute} = {...LIMITS, ...limits}
  const nodeOptions = {
    requestTimeout: requestTime,
    headersTimeout: requestTime,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_INTERVAL_MS, requestTime),
    ...NODE_RESPONSES,
  }
  const app = fastify({
    bodyLimit: bodyBytes,
    requestTimeout: requestTime,
    connectionTimeout: silentTime,
    clientErrorHandler: answerClientError,
    // The routes' schemas reject longer ones, like all invalid requests.
    routerOptions: {maxParamLength: MAX_HEADER_BYTES},
    // The error handler does not receive what the router rejects.
    frameworkErrors: (error, _request, reply) => {
      const {status, body} = errorResponse(error)
      void (reply as unknown as FastifyReply).code(status).send(body)
    },
    // A stop does not wait for keep-alive connections.
    forceCloseConnections: 'idle',
    logger: log ? {...log, serializers: {req: loggedRequest}} : false,
    ajv: {customOptions: {removeAdditional: false, coerceTypes: false, useDefaults: false}},
    ...(tls ? {https: {...tls, ...nodeOptions}} : {http: nodeOptions}),
  }) as unknown as FastifyInstance
  app.setErrorHandler((error, request, reply) => {
    const {status, body} = errorResponse(error)
    // Never logs the error itself: messages of child processes and databases can contain values. kk's own
    // message on a database contains none.
    const message = body.error.code === 'KK_STORE_DATABASE' ? asKkError(error).message : 'the request failed'
    if (status >= 500) request.log.error({code: body.error.code}, message)
    return reply.code(status).send(body)
  })
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      error: {
        code: 'KK_NOT_FOUND',
        message: `no route ${request.method} at this path`,
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
  continueRequests(app)
  readJsonBodies(app)
  await describeApi(app, {plugin: swagger, version, secured: tokens !== undefined})
  await app.register(rateLimit, {global: false, max: requestsPerMinute, timeWindow: '1 minute'})
  const limited = app.rateLimit()
  // Before tokens are checked and routes are matched, to prevent guessing of both.
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
  await pageRoutes(app, {serviceFor, releasesOf, views, secured: tokens !== undefined})
  refuseOtherMethods()
  await app.ready()
  return app
}

/** The grace period for running requests after a stop. */
const SHUTDOWN_GRACE_MS = 10_000

/**
 * Closes idle connections during a stop; keep-alive would hold them open for their clients' next requests.
 */
function endIdleConnections(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined
  let end: NodeJS.Timeout | undefined
  app.addHook('preClose', async () => {
    timer = setInterval(() => app.server.closeIdleConnections(), 50)
    // A partial request may never be completed.
    end = setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_GRACE_MS)
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    clearTimeout(end)
  })
}

/**
 * Returns the log entry of a request. Logs only the parameter namespace: a mistyped one may contain anything.
 */
function loggedRequest({method, url, host, ip, socket, query}: FastifyRequest): Record<string, unknown> {
  const {namespace} = (query ?? {}) as {readonly namespace?: unknown}
  return {
    method,
    url: url.replace(/[?#;].*$/s, ''),
    ...(typeof namespace === 'string' && {namespace}),
    host,
    remoteAddress: ip,
    remotePort: socket?.remotePort,
  }
}

/**
 * Makes the service accept only JSON in UTF-8; rejects invalid bytes, `__proto__` and
 * `constructor.prototype`.
 */
function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: false})
  // The content type of an empty body is ignored.
  app.addHook('onRequest', async ({raw: {headers}}) => {
    const isEmpty = headers['content-length'] === undefined || headers['content-length'] === '0'
    if (isEmpty && headers['transfer-encoding'] === undefined) delete headers['content-type']
  })
  app.addHook('preParsing', async ({headers}) => {
    const {'content-encoding': encoding = 'identity', 'content-type': type = ''} = headers
    const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(type) ?? []
    if (encoding.toLowerCase() !== 'identity') throw unreadable('a body without a content encoding')
    if (!/^utf-?8$/i.test(charset)) throw unreadable('a body in UTF-8')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', {parseAs: 'buffer'}, (request, body, done) => {
    try {
      void parse(request, decoder.decode(body as Buffer), done)
    } catch {
      done(new KkError('KK_USAGE', 'the body is not UTF-8', {hint: 'send JSON in UTF-8'}))
    }
  })
}

/** Returns an error with status 415. */
function unreadable(expected: string): Error {
  return Object.assign(new Error(`expected ${expected}`), {statusCode: 415})
}

/**
 * Sends `100 Continue` to a waiting client (`Expect: 100-continue`) only if its body will be read: a request
 * rejected by its headers alone sends no body, and its response is not lost to a connection that closes
 * during the upload.
 */
function continueRequests(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>()
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request)
    app.server.emit('request', request, response)
  })
  app.addHook('preParsing', async ({raw, routeOptions: {bodyLimit}}, reply) => {
    const isTooLong = Number(raw.headers['content-length']) > (bodyLimit ?? Number.POSITIVE_INFINITY)
    if (waiting.has(raw) && !isTooLong) reply.raw.writeContinue()
  })
}

/** Disables Node's own response without a body. */
const NODE_RESPONSES = {requireHostHeader: false} as const

/** A host with an optional port, without anything else that a URL parser would accept (RFC 9112, 3.2). */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** Returns what is wrong with the target of a request; undefined if nothing is. */
function oddHead({url = '', headers: {host}, rawHeaders, httpVersion}: IncomingMessage): string | undefined {
  if (host === undefined) return httpVersion === '1.1' ? 'expected a header Host' : undefined
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) return 'expected one header Host'
  if (!HOST.test(host)) return 'expected a host and a port in the header Host'
  return url.startsWith('/') || url === '*' ? undefined : 'expected a path as the address'
}

/** Rejects requests with an invalid `Host` or an unsupported `Expect` with the usual error responses. */
function refuseOddHeads(app: FastifyInstance): void {
  app.addHook('onRequest', async ({raw}, reply) => {
    const message = oddHead(raw)
    if (message === undefined) return
    const {status, body} = errorResponse({statusCode: 400, message})
    await reply.code(status).send(body)
  })
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const {status, body} = errorResponse({
      statusCode: 417,
      message: 'expected no header Expect but 100-continue',
    })
    const text = JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    })
    response.end(text)
  })
}

const REASONS: Readonly<Record<string, {readonly statusCode: number; readonly message: string}>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {statusCode: 408, message: 'the request did not arrive in time'},
  HPE_HEADER_OVERFLOW: {statusCode: 431, message: 'the headers of the request are too long'},
  HPE_INVALID_METHOD: {statusCode: 400, message: 'expected an HTTP method'},
}
const UNREADABLE = {statusCode: 400, message: 'expected an HTTP/1.1 request'}

/**
 * Responds to requests that Node cannot parse or that time out with the usual error response, and closes the
 * connection.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const {status, body} = errorResponse(REASONS[error.code ?? ''] ?? UNREADABLE)
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}

/**
 * Collects routes added after this call. Returns a function that makes their other methods respond with 405
 * and `Allow`.
 */
function collectMethods(app: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, Set<string>>()
  app.addHook('onRoute', ({url, method}: RouteOptions) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    methodsByUrl.set(url, methods)
  })
  return () => {
    for (const [url, has] of [...methodsByUrl]) {
      const allow = [...has].sort().join(', ')
      const unsupported = app.supportedMethods.filter((method) => !has.has(method))
      app.route({
        url,
        method: unsupported,
        schema: {hide: true},
        // Before the body is read.
        onRequest: async (request, reply) => {
          const error: ErrorBody['error'] = {
            code: 'KK_METHOD',
            message: `expected ${allow} at this path, got ${request.method}`,
            hint: 'see /docs',
          }
          await reply.code(405).header('allow', allow).send({error})
        },
        handler: async () => undefined,
      })
    }
  }
}
