import type {FastifyInstance, FastifyReply, FastifyRequest} from 'fastify'
import {isLoopback} from '../base/loopback.ts'
import type {Caller, Tokens} from './tokens.ts'

/** Safe HTTP methods. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Endpoints for orchestrators and monitoring without a token; they expose nothing about overrides. */
const PUBLIC_PATHS = new Set(['/healthz', '/readyz'])

/**
 * Rejects unauthorized requests: 401 without a valid token, 403 if a read-only token does not suffice.
 * Without tokens the service listens on loopback and guards against cross-site requests from browsers: a page
 * of another site can neither write (its `Origin` differs) nor read through DNS rebinding (its `Host`
 * differs).
 */
export function guardAccess(app: FastifyInstance, tokens: Tokens | undefined): void {
  app.decorateRequest('caller', UNAUTHENTICATED)
  app.decorateRequest('mayWrite', false)
  app.decorateRequest('maySeeSecrets', false)
  app.addHook('onRequest', async (request, reply) => {
    if (isOpen(request)) return
    const refusal = tokens ? tokenRefusal(request, tokens) : originRefusal(request)
    if (!refusal) {
      const {name, scope} = tokens
        ? requestCaller(request, tokens)!
        : ({name: UNAUTHENTICATED, scope: 'write'} as const)
      request.caller = name
      request.mayWrite = scope === 'write'
      request.maySeeSecrets = request.mayWrite && tokens !== undefined
      return
    }
    // Chromium reads one scheme from each header, and asks for a password only if that is Basic.
    if (refusal.status === 401) reply.header('www-authenticate', ['Basic realm="kk"', 'Bearer'])
    const {status, ...error} = refusal
    await reply.code(status).send({error})
  })
}

/** Returns true for routes that need no token and have no rate limit. */
export function isOpen({routeOptions}: FastifyRequest): boolean {
  return PUBLIC_PATHS.has(routeOptions.url ?? '')
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

/** The caller's name if no tokens are required: such callers are on this host. */
const UNAUTHENTICATED = 'unauthenticated user on the host of kk serve'

interface Refusal {
  readonly status: 401 | 403
  readonly code: string
  readonly message: string
  readonly hint: string
}

function tokenRefusal(request: FastifyRequest, tokens: Tokens): Refusal | undefined {
  const caller = requestCaller(request, tokens)
  if (!caller) {
    const {authorization} = request.headers
    return {
      status: 401,
      code: 'KK_UNAUTHORIZED',
      message: authorization === undefined ? 'a token is required' : 'the token is invalid',
      hint: 'send "authorization: Bearer TOKEN"',
    }
  }
  if (caller.scope === 'write' || !needsWrite(request)) return isForeign(request) ? FOREIGN : undefined
  return {
    status: 403,
    code: 'KK_FORBIDDEN',
    message: 'the token is read-only',
    hint: 'use a token with the scope write',
  }
}

function requestCaller(request: FastifyRequest, tokens: Tokens): Caller | undefined {
  const token = parseToken(request.headers.authorization)
  return token === undefined ? undefined : tokens.callerOf(token)
}

/** Returns true if a request needs the scope write, which reading secrets also needs. */
function needsWrite({method, query}: FastifyRequest): boolean {
  return !SAFE_METHODS.has(method) || asksForSecrets({query})
}

function asksForSecrets({query}: Pick<FastifyRequest, 'query'>): boolean {
  return (query as {readonly show_secrets?: unknown}).show_secrets === 'true'
}

/** Returns the token of `Bearer TOKEN`, or the password of `Basic`, for which browsers can prompt. */
function parseToken(header: string | undefined): string | undefined {
  const [, kind, value] = /^(bearer|basic) +(\S+)$/i.exec(header ?? '') ?? []
  if (kind === undefined || value === undefined) return undefined
  if (kind.toLowerCase() === 'bearer') return value
  const text = Buffer.from(value, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

function originRefusal(request: FastifyRequest): Refusal | undefined {
  if (asksForSecrets(request)) return SECRETS
  if (!isLoopback(URL.parse(`http://${request.host}`)?.hostname ?? '')) {
    return {
      status: 403,
      code: 'KK_FORBIDDEN',
      message: `the service is available as localhost, not as ${request.host}`,
      hint: 'use the URL that kk serve printed',
    }
  }
  const {origin} = request.headers
  // No TLS-terminating proxy is in front of the service here.
  const isOtherScheme = origin !== undefined && URL.parse(origin)?.protocol !== `${request.protocol}:`
  return isOtherScheme || isForeign(request) ? FOREIGN : undefined
}

/** Loopback is reachable by every user of the machine. */
const SECRETS: Refusal = {
  status: 403,
  code: 'KK_FORBIDDEN',
  message: 'secrets require a token, because every user of this machine can reach the service',
  hint: 'start kk serve with --token-file or KK_TOKEN, and send the token',
}

const FOREIGN: Refusal = {
  status: 403,
  code: 'KK_FORBIDDEN',
  message: 'a page of another site cannot use the service',
  hint: 'open the URL that kk serve printed',
}

/**
 * Refuses requests that a browser sends for a page of another site, such as the address of an image: the
 * route starts work, although it only reads. Links to whole pages stay possible.
 */
export async function refuseOtherSites({headers}: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!isOfOtherSite(headers)) return
  const {status, ...error} = FOREIGN
  await reply.code(status).send({error})
}

/**
 * Returns true for a cross-site request. Browsers send `Origin` with every unsafe request, and
 * `Sec-Fetch-Site` with every request; the second one still identifies a cross-site request if a proxy
 * removed the first. A page on another port of this host is also cross-site.
 */
function isForeign(request: FastifyRequest): boolean {
  const {origin} = request.headers
  if (origin === undefined && !SAFE_METHODS.has(request.method)) return isOfOtherSite(request.headers)
  const here = URL.parse(`${request.protocol}://${request.host}`)?.host
  return origin !== undefined && (here === undefined || URL.parse(origin)?.host !== here)
}

/** Returns true if a browser sends the request for a page of another site; `none` is a user's own request. */
function isOfOtherSite({'sec-fetch-site': site = 'none'}: FastifyRequest['headers']): boolean {
  return site !== 'same-origin' && site !== 'none'
}
