import {type Agent, type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest} from 'node:http'
import {request as secureRequest} from 'node:https'
import {text as streamText} from 'node:stream/consumers'
import {setTimeout as wait} from 'node:timers/promises'
import type {WebSocket} from 'ws'
import {KkError} from '../../base/errors.ts'
import {limiter} from '../../base/limiter.ts'
import {
  type ApiError,
  isApiError,
  isRefusedByBudget,
  refusal,
  type Server,
  type Status,
  unreachable,
} from './api-error.ts'
import {type Connection, connect} from './connection.ts'
import type {ClusterAccess} from './kubeconfig.ts'
import {openWebSocket} from './web-socket.ts'

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path from the root of the API, e.g. `/api/v1/namespaces/openstack/pods`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until a response must begin. */
  readonly timeout?: number
  /**
   * Whether a write is idempotent: a repetition has the same effect, or is refused. An idempotent write is
   * retried after a lost connection.
   */
  readonly repeatable?: boolean
  /** The request as a verb and its object, for messages: `list secrets`. */
  readonly summary: string
}

/** HTTP to one API server. Throws `KK_UNREACHABLE`, `KK_FORBIDDEN`, `KK_API`, or the signal's reason. */
export interface ApiClient extends Server {
  /** Whether it is the cluster of the pod that this process runs in. */
  readonly isOfPod?: true
  /** Returns the response, parsed as JSON. */
  json<T>(request: ApiRequest): Promise<T>
  text(request: ApiRequest): Promise<string>
  /**
   * Resolves when the response begins, with its lines as they arrive, until the server ends it. Does not
   * count against the limit of concurrent requests.
   */
  lines(request: ApiRequest): Promise<AsyncGenerator<string, void>>
  /** Resolves with an open, paused WebSocket. A request for it has no body. */
  webSocket(request: ApiRequest, protocols: readonly string[]): Promise<WebSocket>
  /**
   * Returns the time by the API server's clock, in milliseconds since the epoch; before its first response,
   * by this machine's.
   */
  now(): number
  /** Returns the time of the last response or watch event, in milliseconds since the epoch. */
  lastResponseAt(): number
  close(): void
}

const RESPONSE_TIMEOUT_MS = 30_000
/** Longer than the API server's interval between two bookmarks, a minute. */
const IDLE_TIMEOUT_MS = 110_000
/** The maximum of attempts of an idempotent request whose connection is lost. */
const MAX_CONNECTION_ATTEMPTS = 3
/**
 * The maximum of attempts of a request that the server throttles, as in kubectl and helm (client-go:
 * rest/with_retry.go).
 */
const MAX_THROTTLED_ATTEMPTS = 11
const MAX_RETRY_DELAY_MS = 30_000
/** The limit of concurrent requests: a response can hold a whole chart, up to 1 MiB. */
const MAX_CONCURRENT_REQUESTS = 16
/** Exempt from the limit: a Lease whose renewal is queued may be lost. */
const LEASES_PATH = '/apis/coordination.k8s.io/'

export function openClient(access: ClusterAccess): ApiClient {
  const server = {context: access.context, server: access.server}
  const connection = connect(access)
  const clock = serverClock()
  let lastResponse = Date.now()
  const sendTimed = async (request: ApiRequest) => {
    const response = await sendOnce(server, connection, request)
    clock.set(response.headers.date)
    lastResponse = Date.now()
    return response
  }
  const limitConcurrency = limiter(MAX_CONCURRENT_REQUESTS)
  const text = (request: ApiRequest) => {
    const send = async () => readText(server, await sendTimed(request), request)
    // The delay before a retry does not block other requests.
    const sendLimited = request.path.startsWith(LEASES_PATH)
      ? send
      : () => limitConcurrency(send, request.signal)
    return sendWithRetries(connection, request, sendLimited)
  }
  return {
    ...server,
    ...(access.isOfPod && {isOfPod: true}),
    async json<T>(request: ApiRequest) {
      return JSON.parse(await text(request)) as T
    },
    text,
    async lines(request) {
      const response = await sendWithRetries(connection, request, () => sendTimed(request))
      const onData = () => {
        lastResponse = Date.now()
      }
      return readLines(server, response, {...request, onData})
    },
    webSocket: (request, protocols) =>
      sendWithRetries(connection, request, () => upgradeOnce(server, connection, {request, protocols})),
    now: clock.now,
    lastResponseAt: () => lastResponse,
    close: connection.close,
  }
}

/**
 * Returns a clock that follows the API server's. Machines disagree on the time, so times that are compared
 * across machines come from the API server.
 */
function serverClock() {
  let ahead = Date.now() - performance.now()
  return {
    now: () => performance.now() + ahead,
    /** Sets the clock by the header `Date` of the latest response, which has whole seconds. */
    set(date: string | undefined): void {
      const time = Date.parse(date ?? '')
      if (!Number.isNaN(time)) ahead = time - performance.now()
    },
  }
}

/**
 * Retries a request after a lost connection if it is idempotent, and with the server's delay if the server
 * throttles it.
 */
async function sendWithRetries<T>(
  connection: Connection,
  request: ApiRequest,
  send: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      request.signal?.throwIfAborted()
      const delay = retryDelay(error, request, attempt)
      if (delay === undefined) throw error
      if (isApiError(error, 401)) connection.expire()
      await wait(delay, undefined, {signal: request.signal})
    }
  }
}

/** Returns the milliseconds until the next attempt; undefined if the request must not be retried. */
function retryDelay(
  error: unknown,
  {method = 'GET', repeatable = method === 'GET'}: ApiRequest,
  attempt: number,
): number | undefined {
  if (isApiError(error, 401)) return attempt === 1 ? 0 : undefined
  if (isRefusedByBudget(error)) return undefined
  if (isApiError(error) && (error.status === 429 || error.retryAfter !== undefined)) {
    const {retryAfter = 1} = error
    return attempt < MAX_THROTTLED_ATTEMPTS ? Math.min(retryAfter * 1000, MAX_RETRY_DELAY_MS) : undefined
  }
  const cut = error instanceof KkError && ['ECONNRESET', 'EPIPE'].includes(errorCode(error.cause) ?? '')
  return cut && repeatable && attempt < MAX_CONNECTION_ATTEMPTS ? attempt * 50 : undefined
}

function errorCode(error: unknown): string | undefined {
  return (error as {code?: string} | undefined)?.code
}

async function sendOnce(
  server: Server,
  connection: Connection,
  request: ApiRequest,
): Promise<IncomingMessage> {
  const {agent, headers} = await connection.open()
  const {method = 'GET', contentType = 'application/json', accept = 'application/json'} = request
  const body = request.body === undefined ? undefined : JSON.stringify(request.body)
  const response = await sendHttp({
    url: server.server + request.path + queryString(request.query),
    method,
    headers: {
      ...(headers as OutgoingHttpHeaders),
      accept,
      'user-agent': 'kk',
      ...(body !== undefined && bodyHeaders(body, contentType)),
    },
    body,
    agent,
    signal: request.signal,
    responseTimeout: request.timeout ?? RESPONSE_TIMEOUT_MS,
    idleTimeout: IDLE_TIMEOUT_MS,
  }).catch((error: unknown) => {
    request.signal?.throwIfAborted()
    throw unreachable(server, error)
  })
  if ((response.statusCode ?? 0) < 400) return response
  throw await refused(server, request, response)
}

async function refused(server: Server, request: ApiRequest, response: IncomingMessage): Promise<ApiError> {
  const status = response.statusCode ?? 0
  const body = parseStatus(await readText(server, response, request))
  return refusal(server, {
    summary: request.summary,
    status,
    body,
    retryAfter: retryAfterSeconds(status, response),
  })
}

/**
 * Returns the seconds of the header `Retry-After`. Only with status 429 and errors of the server itself is
 * the request known not to be done.
 */
function retryAfterSeconds(status: number, {headers}: IncomingMessage): number | undefined {
  const after = headers['retry-after']
  const isThrottled = status === 429 || status >= 500
  return isThrottled && after !== undefined && /^\d+$/.test(after) ? Number(after) : undefined
}

async function upgradeOnce(
  server: Server,
  connection: Connection,
  {request, protocols}: {readonly request: ApiRequest; readonly protocols: readonly string[]},
): Promise<WebSocket> {
  const {agent, headers} = await connection.open()
  const response = await openWebSocket({
    url: server.server + request.path + queryString(request.query),
    headers: {...(headers as Record<string, string>), 'user-agent': 'kk'},
    protocols,
    agent,
    signal: request.signal,
    timeout: request.timeout ?? RESPONSE_TIMEOUT_MS,
  }).catch((error: unknown) => {
    request.signal?.throwIfAborted()
    throw unreachable(server, error)
  })
  if ('socket' in response) return response.socket
  throw await refused(server, request, response.refusal)
}

function bodyHeaders(body: string, contentType: string): Record<string, string> {
  return {'content-type': contentType, 'content-length': String(Buffer.byteLength(body))}
}

function queryString(query: ApiRequest['query'] = {}): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => [name, String(each)]),
  )
  if (parameters.length === 0) return ''
  return `?${new URLSearchParams(parameters)}`
}

/** Returns the Status in a response. A proxy in between may respond with an HTML page instead. */
function parseStatus(text: string): Status {
  try {
    return JSON.parse(text) as Status
  } catch {
    return {message: text.trim().split('\n', 1)[0]?.slice(0, 200) || 'no reason parameters'}
  }
}

async function readText(server: Server, response: IncomingMessage, {signal}: ApiRequest): Promise<string> {
  try {
    return await streamText(response)
  } catch (error) {
    signal?.throwIfAborted()
    throw unreachable(server, error)
  }
}

async function* readLines(
  server: Server,
  response: IncomingMessage,
  {signal, onData}: ApiRequest & {readonly onData: () => void},
): AsyncGenerator<string, void> {
  let rest = ''
  try {
    response.setEncoding('utf8')
    for await (const chunk of response) {
      onData()
      const parts = (rest + (chunk as string)).split('\n')
      rest = parts.pop() ?? ''
      yield* parts.filter((line) => line !== '')
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw unreachable(server, error)
  }
}

interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string | undefined
  readonly agent: Agent
  readonly signal: AbortSignal | undefined
  /** Milliseconds until a response must begin. */
  readonly responseTimeout: number
  /** Milliseconds that a response may be idle. */
  readonly idleTimeout: number
}

/**
 * Sends one HTTP request and resolves when the response begins. Uses node:http, because undici adds 40 ms to
 * every start. Rejects with the errors of sockets, or with the code `ETIMEDOUT`.
 */
async function sendHttp(options: HttpRequest): Promise<IncomingMessage> {
  const {url, method, headers, body, agent, signal} = options
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>()
  const request = url.startsWith('https:') ? secureRequest : plainRequest
  const outgoing = request(url, {method, headers, agent, ...(signal && {signal})}, (response) => {
    clearTimeout(timer)
    response.setTimeout(options.idleTimeout, () =>
      response.destroy(timedOut('the response stopped before its end')),
    )
    resolve(response)
  })
  const timer = setTimeout(() => outgoing.destroy(timedOut('no response in time')), options.responseTimeout)
  outgoing.on('error', (error) => {
    clearTimeout(timer)
    reject(error)
  })
  outgoing.end(body)
  return promise
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), {code: 'ETIMEDOUT'})
}
