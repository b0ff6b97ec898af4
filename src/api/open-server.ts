import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http'
import type {Socket} from 'node:net'
import type {FastifyInstance, FastifyReply, FastifyRequest, RouteOptions} from 'fastify'
import type * as prometheus from 'prom-client'
import {asKkError, KkError} from '../base/errors.ts'
import {guardAccess, isOpen} from './access.ts'
import type {ReleasesOf} from './answer-form.ts'
import {answerTo, type ErrorBody} from './errors.ts'
import {helmChartRoutes, type ServiceFor} from './helm-chart-routes.ts'
import type * as libraries from './libraries.ts'
import {describeApi, openApiRoutes} from './openapi-routes.ts'
import {healthRoutes, metricsRoute} from './operation-routes.ts'
import {pageRoutes} from './page-routes.ts'
import {storeRoutes} from './store-routes.ts'
import type {Tokens} from './tokens.ts'

export interface ServerOptions {
  readonly serviceFor: ServiceFor
  readonly releasesOf: ReleasesOf
  /** Rejects when the service cannot do its work now. */
  readonly ready: () => Promise<unknown>
  /** The tokens that are accepted; undefined only on loopback. */
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
  /** Milliseconds that a connection may do nothing, such as one whose client reads no answer. */
  readonly silentTime: number
  /** The requests that one address may send. */
  readonly requestsPerMinute: number
}

/** The longest head of a request that Node reads, in bytes. */
const LONGEST_HEAD = 16_384

/** Node looks so often for requests that have not arrived in time. */
const LOOK_MILLISECONDS = 1_000

const LIMITS: Limits = {
  bodyBytes: 1024 ** 2,
  requestTime: 30_000,
  // Longer than any answer takes.
  silentTime: 120_000,
  requestsPerMinute: 60_000,
}

/** The rights of a page of the service: it loads nothing, runs no script, and is framed by nobody. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Opens the REST service, ready to listen. To be closed. */
export async function openServer(
  {serviceFor, releasesOf, ready, tokens, version, tls, log, limits}: ServerOptions,
  {fastify, swagger, rateLimit}: typeof libraries,
  metrics: typeof prometheus,
): Promise<FastifyInstance> {
  const {bodyBytes, requestTime, silentTime, requestsPerMinute} = {...LIMITS, ...limits}
  const waiting = {
    requestTimeout: requestTime,
    headersTimeout: requestTime,
    connectionsCheckingInterval: Math.min(LOOK_MILLISECONDS, requestTime),
    ...OWN_ANSWERS,
  }
  const app = fastify({
    bodyLimit: bodyBytes,
    requestTimeout: requestTime,
    connectionTimeout: silentTime,
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
    // Never the error itself: what a child program or a database says can hold values. Kk's words on a database hold none.
    const said = body.error.code === 'KK_STORE_DATABASE' ? asKkError(error).message : 'the request failed'
    if (status >= 500) request.log.error({code: body.error.code}, said)
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
  askForBodies(app)
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

/** Ends connections that have nothing to answer once a stop has begun: they would be kept open for their clients' next requests. */
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

/** Returns what the log says of a request. Of its parameters only the namespace: a mistyped one may hold anything. */
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

/** Lets the service read JSON in UTF-8 alone; refuses other bytes, and `__proto__` and `constructor.prototype`. */
function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: false})
  // A content type of nothing says nothing.
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

/** Returns an error that is answered with 415. */
function unreadable(expected: string): Error {
  return Object.assign(new Error(`expected ${expected}`), {statusCode: 415})
}

/**
 * Tells a client that waits before it sends its body (`Expect: 100-continue`) to go on only when the body is to be read: one
 * that is refused by its head alone is not sent, and its answer is not lost to a connection that closes under the client.
 */
function askForBodies(app: FastifyInstance): void {
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

/** Node answers these by itself, and without a body, unless it is told not to. */
const OWN_ANSWERS = {requireHostHeader: false} as const

/** A host with its port, and nothing else that a reader of URLs would take for one (RFC 9112, 3.2). */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** Returns what is wrong with where a request says that it goes. */
function oddHead({url = '', headers: {host}, rawHeaders, httpVersion}: IncomingMessage): string | undefined {
  if (host === undefined) return httpVersion === '1.1' ? 'expected a header Host' : undefined
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) return 'expected one header Host'
  if (!HOST.test(host)) return 'expected a host and a port in the header Host'
  return url.startsWith('/') || url === '*' ? undefined : 'expected a path as the address'
}

/** Answers requests without a proper `Host` and with an `Expect` that nobody meets as everything else is answered. */
function refuseOddHeads(app: FastifyInstance): void {
  app.addHook('onRequest', async ({raw}, reply) => {
    const message = oddHead(raw)
    if (message === undefined) return
    const {status, body} = answerTo({statusCode: 400, message})
    await reply.code(status).send(body)
  })
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const {status, body} = answerTo({statusCode: 417, message: 'expected no header Expect but 100-continue'})
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
  HPE_HEADER_OVERFLOW: {statusCode: 431, message: 'the head of the request is too long'},
  HPE_INVALID_METHOD: {statusCode: 400, message: 'expected a method of HTTP'},
}
const UNREADABLE = {statusCode: 400, message: 'expected a request of HTTP/1.1'}

/** Answers what Node cannot read, or does not wait for any longer, as everything else is answered, and hangs up. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const {status, body} = answerTo(REASONS[error.code ?? ''] ?? UNREADABLE)
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}

/** Collects the routes that are made after this. Returns what then answers their other methods with 405 and those that they have. */
function collectMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({url, method}: RouteOptions) => {
    const methods = known.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    known.set(url, methods)
  })
  return () => {
    for (const [url, has] of [...known]) {
      const allow = [...has].sort().join(', ')
      const others = app.supportedMethods.filter((method) => !has.has(method))
      app.route({
        url,
        method: others,
        schema: {hide: true},
        // Before the body is looked at.
        onRequest: async (request, reply) => {
          const error: ErrorBody['error'] = {
            code: 'KK_METHOD',
            message: `expected ${allow} of this address, got ${request.method}`,
            hint: 'see /docs',
          }
          await reply.code(405).header('allow', allow).send({error})
        },
        handler: async () => undefined,
      })
    }
  }
}
