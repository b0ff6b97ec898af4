import {type Agent, type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest} from 'node:http'
import {request as secureRequest} from 'node:https'
import {text as textOf} from 'node:stream/consumers'
import {setTimeout as wait} from 'node:timers/promises'
import {KkError} from '../../base/errors.ts'
import {limiter} from '../../base/limiter.ts'
import {isApiError, refusal, type Server, type Status, unreachable} from './api-error.ts'
import {type Connection, connect} from './connection.ts'
import type {ClusterAccess} from './kubeconfig.ts'

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path from the root of the API, e.g. `/api/v1/namespaces/openstack/pods`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until an answer must have begun. */
  readonly timeout?: number
  /**
   * Whether a write has the same effect, or is refused, when it is done a second time, so that it may be sent again
   * after its connection was cut.
   */
  readonly repeatable?: boolean
  /** The request in words, for messages: `list secrets`. */
  readonly asked: string
}

/** HTTP to one API server. Throws `KK_UNREACHABLE`, `KK_FORBIDDEN`, `KK_API`, or the signal's reason. */
export interface ApiClient extends Server {
  /** Whether it is the cluster of the pod that this process runs in. */
  readonly isOfPod?: true
  /** Returns the answer as JSON. */
  json<T>(request: ApiRequest): Promise<T>
  text(request: ApiRequest): Promise<string>
  /** Resolves when an answer begins, with its lines as they come, until the server ends it. It takes no turn of other requests. */
  lines(request: ApiRequest): Promise<AsyncGenerator<string, void>>
  /**
   * Returns the time by the API server's clock, in milliseconds since the epoch; before its first answer, by this
   * machine's.
   */
  now(): number
  /** Returns when the server last answered, or a watch said something, in milliseconds since the epoch. */
  heardAt(): number
  close(): void
}

const ANSWER_TIMEOUT = 30_000
/** Longer than the API server's pause between two bookmarks, a minute. */
const SILENCE_TIMEOUT = 110_000
/** The attempts of a read whose connection is cut. */
const ATTEMPTS = 3
/**
 * The attempts of a request that the server puts off, as many as those of kubectl and helm (client-go:
 * rest/with_retry.go).
 */
const MOST_ATTEMPTS = 11
const LONGEST_PAUSE = 30_000
/** So many requests are under way at once, whoever asks: an answer can hold a whole chart, up to 1 MiB. */
const AT_ONCE = 16
/** A Lease that waits for its turn may be lost. */
const LEASES = '/apis/coordination.k8s.io/'

export function openClient(access: ClusterAccess): ApiClient {
  const server = {context: access.context, server: access.server}
  const connection = connect(access)
  const clock = serverClock()
  let heard = Date.now()
  const sendTimed = async (request: ApiRequest) => {
    const answer = await sendOnce(server, connection, request)
    clock.set(answer.headers.date)
    heard = Date.now()
    return answer
  }
  const inTurn = limiter(AT_ONCE)
  const text = (request: ApiRequest) => {
    const send = async () => readText(server, await sendTimed(request), request)
    // A pause before the next attempt holds up nobody else.
    const sendInTurn = request.path.startsWith(LEASES) ? send : () => inTurn(send, request.signal)
    return persist(connection, request, sendInTurn)
  }
  return {
    ...server,
    ...(access.isOfPod && {isOfPod: true}),
    async json<T>(request: ApiRequest) {
      return JSON.parse(await text(request)) as T
    },
    text,
    async lines(request) {
      const answer = await persist(connection, request, () => sendTimed(request))
      const onHeard = () => {
        heard = Date.now()
      }
      return linesOf(server, answer, {...request, onHeard})
    },
    now: clock.now,
    heardAt: () => heard,
    close: connection.close,
  }
}

/**
 * Returns a clock that follows the API server's. Machines disagree on the time, so times that are compared across them
 * come from the one that all of them talk to.
 */
function serverClock() {
  let ahead = Date.now() - performance.now()
  return {
    now: () => performance.now() + ahead,
    /** Takes the header `Date` of an answer that has just come, which has whole seconds. */
    set(date: string | undefined): void {
      const time = Date.parse(date ?? '')
      if (!Number.isNaN(time)) ahead = time - performance.now()
    },
  }
}

/** Sends a request again if its connection is cut and it may be repeated, or if the server asks to send it later. */
async function persist<T>(connection: Connection, request: ApiRequest, send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      request.signal?.throwIfAborted()
      const pause = pauseBefore(error, request, attempt)
      if (pause === undefined) throw error
      if (isApiError(error, 401)) connection.expire()
      await wait(pause, undefined, {signal: request.signal})
    }
  }
}

/** Returns the milliseconds until the next attempt; undefined if there is none. */
function pauseBefore(
  error: unknown,
  {method = 'GET', repeatable = method === 'GET'}: ApiRequest,
  attempt: number,
): number | undefined {
  if (isApiError(error, 401)) return attempt === 1 ? 0 : undefined
  if (isApiError(error) && (error.status === 429 || error.retryAfter !== undefined)) {
    const {retryAfter = 1} = error
    return attempt < MOST_ATTEMPTS ? Math.min(retryAfter * 1000, LONGEST_PAUSE) : undefined
  }
  const cut = error instanceof KkError && ['ECONNRESET', 'EPIPE'].includes(codeOf(error.cause) ?? '')
  return cut && repeatable && attempt < ATTEMPTS ? attempt * 50 : undefined
}

function codeOf(error: unknown): string | undefined {
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
  const answer = await sendHttp({
    url: server.server + request.path + queryOf(request.query),
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
    answerTimeout: request.timeout ?? ANSWER_TIMEOUT,
    silenceTimeout: SILENCE_TIMEOUT,
  }).catch((error: unknown) => {
    request.signal?.throwIfAborted()
    throw unreachable(server, error)
  })
  const status = answer.statusCode ?? 0
  if (status < 400) return answer
  const said = statusOf(await readText(server, answer, request))
  throw refusal(server, {asked: request.asked, status, body: said, retryAfter: putOff(status, answer)})
}

/**
 * Returns the seconds by which the server puts a request off. Only an error of the server itself, and too many
 * requests, mean that the request was not done.
 */
function putOff(status: number, {headers}: IncomingMessage): number | undefined {
  const after = headers['retry-after']
  const isPutOff = status === 429 || status >= 500
  return isPutOff && after !== undefined && /^\d+$/.test(after) ? Number(after) : undefined
}

function bodyHeaders(body: string, contentType: string): Record<string, string> {
  return {'content-type': contentType, 'content-length': String(Buffer.byteLength(body))}
}

function queryOf(query: ApiRequest['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** Returns the Status in an answer. A proxy in between may answer with a page instead. */
function statusOf(text: string): Status {
  try {
    return JSON.parse(text) as Status
  } catch {
    return {message: text.trim().split('\n', 1)[0]?.slice(0, 200) || 'no reason given'}
  }
}

async function readText(server: Server, answer: IncomingMessage, {signal}: ApiRequest): Promise<string> {
  try {
    return await textOf(answer)
  } catch (error) {
    signal?.throwIfAborted()
    throw unreachable(server, error)
  }
}

async function* linesOf(
  server: Server,
  answer: IncomingMessage,
  {signal, onHeard}: ApiRequest & {readonly onHeard: () => void},
): AsyncGenerator<string, void> {
  let rest = ''
  try {
    answer.setEncoding('utf8')
    for await (const chunk of answer) {
      onHeard()
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
  /** Milliseconds until an answer must have begun. */
  readonly answerTimeout: number
  /** Milliseconds that an answer may be silent. */
  readonly silenceTimeout: number
}

/**
 * Sends one HTTP request and resolves when the answer begins. It uses node:http, for undici costs 40 ms at every start.
 * Rejects with the errors of sockets, or with the code `ETIMEDOUT`.
 */
async function sendHttp(sent: HttpRequest): Promise<IncomingMessage> {
  const {url, method, headers, body, agent, signal} = sent
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>()
  const request = url.startsWith('https:') ? secureRequest : plainRequest
  const outgoing = request(url, {method, headers, agent, ...(signal && {signal})}, (answer) => {
    clearTimeout(timer)
    answer.setTimeout(sent.silenceTimeout, () => answer.destroy(timedOut('the answer stopped half way')))
    resolve(answer)
  })
  const timer = setTimeout(() => outgoing.destroy(timedOut('no answer in time')), sent.answerTimeout)
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
