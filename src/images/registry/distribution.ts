import {KkError} from '../../base/errors.ts'
import {fetchThroughProxy} from '../../state/network/fetch.ts'
import {ANSWER_MILLISECONDS, authorizationFor, SCOPES, unauthorized, unreachable} from './authorization.ts'
import {type ContentStore, type Descriptor, MANIFEST_TYPES, sha256} from './content.ts'
import {isLoopback} from './registry.ts'

export interface DistributionOptions {
  /** `quay.io`, `127.0.0.1:5000` */
  readonly host: string
  /** Without TLS; of a registry on this machine's loopback by default. */
  readonly plain?: boolean | undefined
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/** A registry, which may tell what it has. */
export interface Distribution extends ContentStore {
  /** All repositories; undefined for a registry that does not tell. */
  repositories(): Promise<readonly string[] | undefined>
  /** What is attached to a manifest; undefined for a registry without the API of referrers. */
  referrers(repository: string, digest: string): Promise<readonly Descriptor[] | undefined>
  /** The tags of a repository; none where there is no such repository. */
  tags(repository: string): Promise<readonly string[]>
}

/** A registry by OCI's distribution API, with the login of buildah, docker or helm, or without one. */
export function openDistribution({host, plain, env, signal}: DistributionOptions): Distribution {
  const server = host === 'docker.io' ? 'registry-1.docker.io' : host
  const base = `${(plain ?? isLoopback(host)) ? 'http' : 'https'}://${server}`
  const send = sender({base, host, env, ...(signal && {signal})})

  /** Reads a list of several pages; undefined where there is none. */
  const list = async <T>(repository: string, path: string, key: 'repositories' | 'tags' | 'manifests') => {
    const found: unknown[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const response: Response = await send(repository, next, {})
      if (response.status === 404) {
        await response.body?.cancel()
        return undefined
      }
      if (!response.ok) throw await refusal(response, host)
      found.push(...(((await response.json()) as Record<string, unknown[] | null>)[key] ?? []))
      const [, link] = /<([^>]+)>;\s*rel="?next"?/.exec(response.headers.get('link') ?? '') ?? []
      next = link && new URL(link, response.url).href
    }
    return found as readonly T[]
  }

  return {
    name: host,
    repositories: () =>
      list<string>('', `${base}/v2/_catalog?n=1000`, 'repositories').catch((error: unknown) => {
        // Many tell nobody; who is not let in at all is told so by what they ask next.
        if (error instanceof KkError && error.message.includes('refuses')) return undefined
        throw error
      }),
    tags: async (repository) => (await list<string>(repository, 'tags/list?n=1000', 'tags')) ?? [],
    referrers: (repository, digest) => list<Descriptor>(repository, `referrers/${digest}`, 'manifests'),
    async digestOf(repository, reference) {
      const response = await send(repository, `manifests/${reference}`, {method: 'HEAD', headers: ACCEPT})
      await response.body?.cancel()
      if (response.status === 404) return undefined
      if (!response.ok) throw await refusal(response, host)
      const digest = response.headers.get('docker-content-digest')
      return digest ?? (await this.manifest(repository, reference))?.digest
    },
    async manifest(repository, reference) {
      const response = await send(repository, `manifests/${reference}`, {headers: ACCEPT})
      if (response.status === 404) {
        await response.body?.cancel()
        return undefined
      }
      if (!response.ok) throw await refusal(response, host)
      const bytes = Buffer.from(await response.arrayBuffer())
      const digest = sha256(bytes)
      if (reference.startsWith('sha256:') && reference !== digest) throw otherBytes(repository, reference)
      const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? MANIFEST_TYPES[0]!
      return {bytes, mediaType, digest}
    },
    async hasBlob(repository, digest) {
      const response = await send(repository, `blobs/${digest}`, {method: 'HEAD'})
      await response.body?.cancel()
      if (!response.ok && response.status !== 404) throw await refusal(response, host)
      return response.ok
    },
    async readBlob(repository, {digest}) {
      const response = await send(repository, `blobs/${digest}`, {isLarge: true})
      if (!response.ok) throw await refusal(response, host)
      return bytesOf(response)
    },
    async writeBlob(repository, {digest, size}, read, mount) {
      const from = mount === undefined ? '' : `?${new URLSearchParams({mount: digest, from: mount})}`
      const begun = await send(repository, `blobs/uploads/${from}`, {method: 'POST'})
      if (begun.status !== 202 && begun.status !== 201) throw await refusal(begun, host)
      await begun.body?.cancel()
      if (begun.status === 201) return
      const place = new URL(begun.headers.get('location') ?? '', begun.url)
      place.searchParams.set('digest', digest)
      const headers = {'content-type': 'application/octet-stream', 'content-length': String(size)}
      const response = await send(repository, place.href, {
        method: 'PUT',
        headers,
        body: await read(),
        isLarge: true,
      })
      if (response.status !== 201) throw await refusal(response, host)
      await response.body?.cancel()
    },
    async writeManifest(repository, {bytes, mediaType, digest}, name = digest) {
      const headers = {'content-type': mediaType}
      const path = `manifests/${name}`
      const response = await send(repository, path, {method: 'PUT', headers, body: new Uint8Array(bytes)})
      if (!response.ok) throw await refusal(response, host)
      await response.body?.cancel()
    },
  }
}

/** Holds the response until its bytes are read: the body of one that is collected before, and not yet read, ends without any. */
async function* bytesOf(response: Response): AsyncIterable<Uint8Array> {
  if (response.body) yield* response.body
}

const ACCEPT = {accept: MANIFEST_TYPES.join(', ')}

interface Call {
  readonly method?: 'HEAD' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>
  /** Its body may take as long as it makes progress. */
  readonly isLarge?: boolean
}

interface SenderOptions {
  readonly base: string
  readonly host: string
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
}

type Send = (repository: string, path: string, call: Call) => Promise<Response>

/** Returns what sends requests about repositories, and authorizes them as the registry asks for. */
function sender({base, host, env, signal}: SenderOptions): Send {
  // By repository and right, as registries give tokens.
  const authorizations = new Map<string, string>()
  return async (repository, path, {method = 'GET' as const, headers, body, isLarge = false}) => {
    const url = /^https?:/.test(path) ? path : `${base}/v2/${repository}/${path}`
    // What a registry names elsewhere, such as a place for uploads, is not told who is logged in here, nor is this host without TLS.
    const isHere = new URL(url).origin === new URL(base).origin
    const right = method === 'HEAD' || (method as string) === 'GET' ? 'pull' : 'push'
    const attempt = () => {
      const authorization = isHere ? authorizations.get(`${repository} ${right}`) : undefined
      const limits = [
        ...(signal ? [signal] : []),
        ...(isLarge ? [] : [AbortSignal.timeout(ANSWER_MILLISECONDS)]),
      ]
      const options = {
        method,
        headers: {...headers, ...(authorization !== undefined && {authorization})},
        ...(body !== undefined && {body, duplex: 'half' as const}),
        signal: AbortSignal.any(limits),
      }
      return fetchThroughProxy(url, options as RequestInit, env).catch((cause: unknown) => {
        signal?.throwIfAborted()
        // What was to be sent could not be read.
        const {cause: inner} = cause as Error
        throw inner instanceof KkError ? inner : unreachable(host, cause)
      })
    }
    const first = await attempt()
    // What was sent as a stream cannot be sent again: before it, a request without a body has asked for the right.
    if (first.status !== 401 || !isHere || (body !== undefined && isLarge)) return first
    // Where it has redirected to, somebody else asks.
    if (new URL(first.url).origin !== new URL(base).origin) return first
    const challenge = first.headers.get('www-authenticate') ?? ''
    await first.body?.cancel()
    const authorization = await authorizationFor(challenge, {
      host,
      plain: base.startsWith('http:'),
      env,
      scope: repository === '' ? 'registry:catalog:*' : `repository:${repository}:${SCOPES[right]}`,
    })
    if (authorization === undefined) throw unauthorized(host, first.status)
    authorizations.set(`${repository} ${right}`, authorization)
    return attempt()
  }
}

function otherBytes(repository: string, digest: string): KkError {
  return new KkError('KK_IMAGE', `${repository}: what came is not ${digest}`, {
    hint: 'the registry, or what is between, has changed it: try again, then tell who keeps the registry',
  })
}

/** Returns the error of an answer, with what the registry says. */
async function refusal(response: Response, host: string): Promise<KkError> {
  const {status} = response
  if (status === 401 || status === 403) {
    await response.body?.cancel()
    return unauthorized(host, status)
  }
  const text = (await response.text().catch(() => '')).slice(0, 300)
  const said = /"message":\s*"(?<message>[^"]*)"/.exec(text)?.groups?.message ?? ''
  return new KkError('KK_IMAGE', `the registry ${host} refuses (${status}${said && `: ${said}`})`, {
    hint: 'the registry says why; its log says more',
  })
}
