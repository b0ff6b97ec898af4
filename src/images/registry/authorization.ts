import {readFile} from 'node:fs/promises'
import {homedir} from 'node:os'
import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {isLoopback} from '../../base/loopback.ts'
import {registryConfiguration} from '../../helm/pull.ts'
import {fetchThroughProxy} from '../../state/network/fetch.ts'

/** The response timeout of a registry for requests without a large body. */
export const RESPONSE_TIMEOUT_MS = 60_000

/** Permissions, as in the scopes of registry tokens. */
export const SCOPES = {pull: 'pull', push: 'pull,push'} as const

interface ChallengeContext {
  readonly host: string
  /** Whether the registry is accessed without TLS. */
  readonly plain: boolean
  readonly env: NodeJS.ProcessEnv
  readonly scope: string
}

/**
 * Returns the authorization header for a registry's challenge: the login, or a token, with or without a
 * login; undefined if neither applies.
 */
export async function authorizationFor(
  challenge: string,
  {host, plain, env, scope}: ChallengeContext,
): Promise<string | undefined> {
  const login = await readLogin(host, env)
  const [scheme = ''] = challenge.split(' ', 1)
  if (scheme.toLowerCase() !== 'bearer') return login && `Basic ${login}`
  const parameters = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
  )
  const realm = parameters.get('realm') ?? ''
  if (!URL.canParse(realm)) return undefined
  const url = new URL(realm)
  if (!isSafe(url, {host, plain})) throw unsafe(host, url)
  const service = parameters.get('service')
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', scope)
  const options = {
    headers: login ? {authorization: `Basic ${login}`} : {},
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  }
  const response = await fetchThroughProxy(url, options, env).catch((cause: unknown) => {
    throw unreachable(url.host, cause)
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw unauthorized(host, response.status)
  }
  const {token, access_token: accessToken} = (await response.json()) as {
    token?: string
    access_token?: string
  }
  return `Bearer ${token ?? accessToken ?? ''}`
}

/**
 * Returns true if a login may be sent to the token server that a registry names. As with docker, containerd,
 * ORAS and Helm, the registry chooses its host: many use another domain, and a registry could request the
 * login itself. But a registry with TLS must not drop TLS, one on loopback must not send the login elsewhere
 * without TLS, and the URL must not contain credentials (cf. go-containerregistry:
 * pkg/v1/remote/transport/bearer.go; the .NET SDK: AuthHandshakeMessageHandler).
 */
function isSafe(
  {protocol, username, password, host: to}: URL,
  {host, plain}: Pick<ChallengeContext, 'host' | 'plain'>,
): boolean {
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && plain && (isLoopback(to) || !isLoopback(host)))
}

function unsafe(host: string, {origin}: URL): KkError {
  return new KkError(
    'KK_IMAGE',
    `the registry ${host} has the token server ${origin}: expected an https URL`,
    {
      hint: 'no login was sent; report to the operator of the registry that its token server needs TLS, like the registry itself',
    },
  )
}

/** Returns user and password of a registry in base64, from the first configuration file that has them. */
async function readLogin(host: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const home = env.HOME || homedir()
  const files = [
    env.REGISTRY_AUTH_FILE,
    env.XDG_RUNTIME_DIR && join(env.XDG_RUNTIME_DIR, 'containers/auth.json'),
    `/run/containers/${process.getuid?.() ?? 0}/auth.json`,
    join(env.DOCKER_CONFIG || join(home, '.docker'), 'config.json'),
    registryConfiguration(env),
  ]
  for (const file of files) {
    if (!file) continue
    const text = await readFile(file, 'utf8').catch(() => '{}')
    const {auths = {}} = parseConfiguration(text, file)
    const entry = Object.entries(auths).find(([key, {auth}]) => auth && loginHost(key) === host)
    if (entry) return entry[1].auth
  }
  return undefined
}

interface Configuration {
  readonly auths?: Readonly<Record<string, {readonly auth?: string}>>
}

function parseConfiguration(text: string, file: string): Configuration {
  try {
    return JSON.parse(text) as Configuration
  } catch {
    throw new KkError('KK_FILE', `${file} is not JSON`, {
      hint: 'log in to the registry again, or remove the file',
    })
  }
}

/** Returns the registry of a login's key: `quay.io`, `https://quay.io/v2/`; Docker Hub uses a special one. */
function loginHost(key: string): string {
  const host = key.replace(/^https?:\/\//, '').split('/', 1)[0]!
  return host === 'index.docker.io' ? 'docker.io' : host
}

export function unauthorized(host: string, status: number): KkError {
  return new KkError('KK_IMAGE', `the registry ${host} denies access (${status})`, {
    hint: `log in with docker login ${host}, buildah login ${host} or helm registry login ${host}; kk does not use credential helpers`,
  })
}

export function unreachable(host: string, cause: unknown): KkError {
  const {cause: inner, message} = cause as Error & {cause?: NodeJS.ErrnoException}
  const isTls = /ssl|tls|wrong version number|packet length/i.test(inner?.message ?? '')
  return new KkError(
    'KK_IMAGE',
    `the registry ${host} does not respond (${inner?.code ?? inner?.message ?? message})`,
    {
      cause,
      hint: isTls
        ? 'does it support TLS? For a registry without TLS, use --plain-http when writing to it'
        : 'check its name, the network and the proxy',
    },
  )
}
