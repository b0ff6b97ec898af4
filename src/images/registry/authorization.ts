import {readFile} from 'node:fs/promises'
import {homedir} from 'node:os'
import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {registryConfiguration} from '../../helm/pull.ts'
import {fetchThroughProxy} from '../../state/network/fetch.ts'
import {isLoopback} from './registry.ts'

/** The time that a registry may take to answer what has no large body. */
export const ANSWER_MILLISECONDS = 60_000

/** Rights, as registries name them in the scopes of tokens. */
export const SCOPES = {pull: 'pull', push: 'pull,push'} as const

interface Asking {
  readonly host: string
  /** Whether the registry is spoken to without TLS. */
  readonly plain: boolean
  readonly env: NodeJS.ProcessEnv
  readonly scope: string
}

/** Returns the header that a registry asks for: the login, or a token, also without a login; undefined without either. */
export async function authorizationFor(
  challenge: string,
  {host, plain, env, scope}: Asking,
): Promise<string | undefined> {
  const login = await loginOf(host, env)
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
    signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
  }
  const response = await fetchThroughProxy(url, options, env).catch((cause: unknown) => {
    throw unreachable(url.host, cause)
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw unauthorized(host, response.status)
  }
  const {token, access_token: other} = (await response.json()) as {token?: string; access_token?: string}
  return `Bearer ${token ?? other ?? ''}`
}

/**
 * True where a login may be sent to the server that a registry names for tokens. As with docker, containerd, ORAS and so Helm, its
 * host is whichever the registry says: many have one in another domain, and a registry could as well ask for the login itself. But
 * no registry with TLS takes the login off it, none on the loopback sends it out without TLS, and nothing of another's is in the
 * address (so too go-containerregistry: pkg/v1/remote/transport/bearer.go; the .NET SDK: AuthHandshakeMessageHandler).
 */
function isSafe(
  {protocol, username, password, host: to}: URL,
  {host, plain}: Pick<Asking, 'host' | 'plain'>,
): boolean {
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && plain && (isLoopback(to) || !isLoopback(host)))
}

function unsafe(host: string, {origin}: URL): KkError {
  return new KkError(
    'KK_IMAGE',
    `the registry ${host} names ${origin} for tokens: expected an https address`,
    {
      hint: 'no login was sent; tell who keeps the registry that its token server needs TLS, as the registry has it',
    },
  )
}

/** Returns user and password of a registry as they are written down (base64), from the first file that has them. */
async function loginOf(host: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
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
    const {auths = {}} = configurationOf(text, file)
    const found = Object.entries(auths).find(([key, {auth}]) => auth && hostOfKey(key) === host)
    if (found) return found[1].auth
  }
  return undefined
}

interface Configuration {
  readonly auths?: Readonly<Record<string, {readonly auth?: string}>>
}

function configurationOf(text: string, file: string): Configuration {
  try {
    return JSON.parse(text) as Configuration
  } catch {
    throw new KkError('KK_FILE', `${file} is no JSON`, {
      hint: 'log in to the registry again, or remove the file',
    })
  }
}

/** The registry of a login: `quay.io`, `https://quay.io/v2/`; that of Docker Hub has a name of its own. */
function hostOfKey(key: string): string {
  const host = key.replace(/^https?:\/\//, '').split('/', 1)[0]!
  return host === 'index.docker.io' ? 'docker.io' : host
}

export function unauthorized(host: string, status: number): KkError {
  return new KkError('KK_IMAGE', `the registry ${host} refuses (${status})`, {
    hint: `log in with docker login ${host}, buildah login ${host} or helm registry login ${host}; helpers that keep passwords elsewhere are not asked`,
  })
}

export function unreachable(host: string, cause: unknown): KkError {
  const {cause: inner, message} = cause as Error & {cause?: NodeJS.ErrnoException}
  const isTls = /ssl|tls|wrong version number|packet length/i.test(inner?.message ?? '')
  return new KkError(
    'KK_IMAGE',
    `the registry ${host} does not answer (${inner?.code ?? inner?.message ?? message})`,
    {
      cause,
      hint: isTls
        ? 'does it speak TLS? A registry without it is named with --plain-http where it is written to'
        : 'check its name, the network and the proxy',
    },
  )
}
