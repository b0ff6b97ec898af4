import type {FastifyInstance, FastifyRequest} from 'fastify'
import type {Caller, Tokens} from './tokens.ts'

/** Methods that change nothing. */
const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
/** The addresses that orchestrators and monitoring ask for without a token; they tell nothing of overrides. */
const OPEN = new Set(['/healthz', '/readyz'])

/**
 * Refuses requests that are not allowed: without a known token 401, with one that only reads 403. Without tokens the service
 * is on loopback, and browsers must be kept from being used against it: a page of another site can neither write (its
 * `Origin` is another) nor read under a name of its own that leads here (`Host`).
 */
export function guardAccess(app: FastifyInstance, tokens: Tokens | undefined): void {
  app.decorateRequest('caller', NOBODY)
  app.decorateRequest('mayWrite', false)
  app.decorateRequest('maySeeSecrets', false)
  app.addHook('onRequest', async (request, reply) => {
    if (isOpen(request)) return
    const refusal = tokens ? tokenRefusal(request, tokens) : originRefusal(request)
    if (!refusal) {
      const {name, scope} = tokens ? callerOf(request, tokens)! : ({name: NOBODY, scope: 'write'} as const)
      request.caller = name
      request.mayWrite = scope === 'write'
      request.maySeeSecrets = request.mayWrite && tokens !== undefined
      return
    }
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer, Basic realm="kk"')
    const {status, ...error} = refusal
    await reply.code(status).send({error})
  })
}

/** Tells whether anybody may send this request, as often as they like. */
export function isOpen({routeOptions}: FastifyRequest): boolean {
  return OPEN.has(routeOptions.url ?? '')
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the caller, for the history. */
    caller: string
    /** Whether the caller may change overrides. */
    mayWrite: boolean
    /** Whether the caller may see secrets. */
    maySeeSecrets: boolean
  }
}

/** The name of callers where no tokens are asked for: they are on this machine. */
const NOBODY = 'somebody on the host of kk serve'

interface Refusal {
  readonly status: 401 | 403
  readonly code: string
  readonly message: string
  readonly hint: string
}

function tokenRefusal(request: FastifyRequest, tokens: Tokens): Refusal | undefined {
  const caller = callerOf(request, tokens)
  if (!caller) {
    const {authorization} = request.headers
    return {
      status: 401,
      code: 'KK_UNAUTHORIZED',
      message: authorization === undefined ? 'a token is needed' : 'the token is not known',
      hint: 'send "authorization: Bearer TOKEN"',
    }
  }
  if (caller.scope === 'write' || !needsWrite(request)) return isForeign(request) ? FOREIGN : undefined
  return {
    status: 403,
    code: 'KK_FORBIDDEN',
    message: 'the token may only read',
    hint: 'use one that may write',
  }
}

function callerOf(request: FastifyRequest, tokens: Tokens): Caller | undefined {
  const token = tokenOf(request.headers.authorization)
  return token === undefined ? undefined : tokens.callerOf(token)
}

/** Tells whether a request needs a token that may write: also one that asks for secrets does. */
function needsWrite({method, query}: FastifyRequest): boolean {
  return !READING.has(method) || asksForSecrets({query})
}

function asksForSecrets({query}: Pick<FastifyRequest, 'query'>): boolean {
  return (query as {readonly show_secrets?: unknown}).show_secrets === 'true'
}

/** Returns the token of `Bearer TOKEN`, or the password of `Basic`, which browsers can ask people for. */
function tokenOf(header: string | undefined): string | undefined {
  const [, kind, value] = /^(bearer|basic) +(\S+)$/i.exec(header ?? '') ?? []
  if (kind === undefined || value === undefined) return undefined
  if (kind.toLowerCase() === 'bearer') return value
  const text = Buffer.from(value, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

function originRefusal(request: FastifyRequest): Refusal | undefined {
  if (asksForSecrets(request)) return SECRETS
  if (!isLoopback(URL.parse(`http://${request.host}`)?.hostname)) {
    return {
      status: 403,
      code: 'KK_FORBIDDEN',
      message: `the service is here as localhost, not as ${request.host}`,
      hint: 'use the address that kk serve printed',
    }
  }
  const {origin} = request.headers
  // No proxy that ends TLS comes in between here.
  const isOtherScheme = origin !== undefined && URL.parse(origin)?.protocol !== `${request.protocol}:`
  return isOtherScheme || isForeign(request) ? FOREIGN : undefined
}

/** Every user of the machine reaches its loopback. */
const SECRETS: Refusal = {
  status: 403,
  code: 'KK_FORBIDDEN',
  message: 'secrets are shown only to who has a token, for every user of this machine reaches the service',
  hint: 'start kk serve with --token-file or KK_TOKEN, and send the token',
}

const FOREIGN: Refusal = {
  status: 403,
  code: 'KK_FORBIDDEN',
  message: 'a page of another site cannot use the service',
  hint: 'open the address that kk serve printed',
}

/**
 * Tells whether a page of another site sends this request. Browsers send `Origin` with every request that changes something, and `Sec-Fetch-Site` with every one at all: where
 * something took the first away, the second still tells. A page on another port of this host is of another site, too.
 */
function isForeign(request: FastifyRequest): boolean {
  const {origin, 'sec-fetch-site': site} = request.headers
  if (origin === undefined && !READING.has(request.method)) {
    return site !== undefined && site !== 'same-origin' && site !== 'none'
  }
  const here = URL.parse(`${request.protocol}://${request.host}`)?.host
  return origin !== undefined && (here === undefined || URL.parse(origin)?.host !== here)
}

/** Tells whether a host name, as a URL has it, is of this machine. */
function isLoopback(hostname = ''): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true
  return /^127(?:\.\d+){3}$/.test(hostname) || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname)
}
