import {KkError} from '../../base/errors.ts'
import {isLoopback} from '../../base/loopback.ts'
import {fetchThroughProxy} from '../../state/network/fetch.ts'
import {authorizationFor, RESPONSE_TIMEOUT_MS, SCOPES, unauthorized, unreachable} from './authorization.ts'
import {type ContentStore, type Descriptor, MANIFEST_TYPES, sha256} from './content.ts'

export interface DistributionOptions {
  /** `quay.io`, `127.0.0.1:5000` */
  readonly host: string
  /** Without TLS; defaults to true for a registry on the loopback interface. */
  readonly plain?: boolean | undefined
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

/** A registry, which may support listing its content. */
export interface Distribution extends ContentStore {
  /** Resolves with all repositories; undefined for a registry that does not list them. */
  repositories(): Promise<readonly string[] | undefined>
  /** Resolves with what is attached to a manifest; undefined for a registry without the referrers API. */
  referrers(repository: string, digest: string): Promise<readonly Descriptor[] | undefined>
  /** Resolves with the tags of a repository; empty if it does not exist. */
  tags(repository: string): Promise<readonly string[]>
}

/**
 * Opens a registry through OCI's distribution API, with the login of buildah, docker or helm if there is one.
 */
export function openDistribution({host, plain, env, signal}: DistributionOptions): Distribution {
  const server = host === 'docker.io' ? 'registry-1.docker.io' : host
  const base = `${(plain ?? isLoopback(host)) ? 'http' : 'https'}://${server}`
  const send = sender({base, host, env, ...(signal && {signal})})

  /** Reads a paginated list; undefined if it does not exist. */
  const list = async <T>(repository: string, path: string, key: 'repositories' | 'tags' | 'manifests') => {
    const items: unknown[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const response: Response = await send(repository, next, {})
      if (response.status === 404) {
        await response.body?.cancel()
        return undefined
      }
      if (!response.ok) throw await refusal(response, host)
      items.push(...(((await response.json()) as Record<string, unknown[] | null>)[key] ?? []))
      const [, link] = /<([^>]+)>;\s*rel="?next"?/.exec(response.headers.get('link') ?? '') ?? []
      next = link && new URL(link, response.url).href
    }
    return items as readonly T[]
  }

  return {
    name: host,
    repositories: () =>
      list<string>('', `${base}/v2/_catalog?n=1000`, 'repositories').catch((error: unknown) => {
        // Many registries do not list repositories; a missing permission is reported by the next request.
        if (error instanceof KkError && error.message.includes('denies access')) return undefined
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
      return readBody(response)
    },
    async writeBlob(repository, {digest, size}, read, mount) {
      const from = mount === undefined ? '' : `?${new URLSearchParams({mount: digest, from: mount})}`
      const upload = await send(repository, `blobs/uploads/${from}`, {method: 'POST'})
      if (upload.status !== 202 && upload.status !== 201) throw await refusal(upload, host)
      await upload.body?.cancel()
      if (upload.status === 201) return
      const place = new URL(upload.headers.get('location') ?? '', upload.url)
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

/**
 * Keeps the response referenced until it is read: the body of a garbage-collected response ends prematurely.
 */
async function* readBody(response: Response): AsyncIterable<Uint8Array> {
  if (response.body) yield* response.body
}

const ACCEPT = {accept: MANIFEST_TYPES.join(', ')}

interface Call {
  readonly method?: 'HEAD' | 'POST' | 'PUT'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>
  /** No response timeout: the body may take as long as it makes progress. */
  readonly isLarge?: boolean
}

interface SenderOptions {
  readonly base: string
  readonly host: string
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
}

type Send = (repository: string, path: string, call: Call) => Promise<Response>

/** Returns a function that sends requests on repositories, authorized as the registry requests. */
function sender({base, host, env, signal}: SenderOptions): Send {
  // By repository and permission, as registries issue tokens.
  const authorizations = new Map<string, string>()
  return async (repository, path, {method = 'GET' as const, headers, body, isLarge = false}) => {
    const url = /^https?:/.test(path) ? path : `${base}/v2/${repository}/${path}`
    // Other hosts, such as those of upload URLs, receive neither the login nor, without TLS, this host's
    // token.
    const isSameOrigin = new URL(url).origin === new URL(base).origin
    const right = method === 'HEAD' || (method as string) === 'GET' ? 'pull' : 'push'
    const attempt = () => {
      const authorization = isSameOrigin ? authorizations.get(`${repository} ${right}`) : undefined
      const limits = [
        ...(signal ? [signal] : []),
        ...(isLarge ? [] : [AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
      ]
      const options = {
        method,
        headers: {...headers, ...(authorization !== undefined && {authorization})},
        ...(body !== undefined && {body, duplex: 'half' as const}),
        signal: AbortSignal.any(limits),
      }
      return fetchThroughProxy(url, options as RequestInit, env).catch((cause: unknown) => {
        signal?.throwIfAborted()
        // The request body could not be read.
        const {cause: inner} = cause as Error
        throw inner instanceof KkError ? inner : unreachable(host, cause)
      })
    }
    const first = await attempt()
    // A streamed body cannot be sent again: a request without a body has obtained the permission before.
    if (first.status !== 401 || !isSameOrigin || (body !== undefined && isLarge)) return first
    // After a redirect, the challenge comes from another host.
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
  return new KkError('KK_IMAGE', `${repository}: the content received does not match ${digest}`, {
    hint: 'the registry, or a proxy in between, has changed it: retry, then contact the operator of the registry',
  })
}

/** Returns the error of a response, with the registry's message. */
async function refusal(response: Response, host: string): Promise<KkError> {
  const {status} = response
  if (status === 401 || status === 403) {
    await response.body?.cancel()
    return unauthorized(host, status)
  }
  const text = (await response.text().catch(() => '')).slice(0, 300)
  const reason = /"message":\s*"(?<message>[^"]*)"/.exec(text)?.groups?.message ?? ''
  return new KkError('KK_IMAGE', `the registry ${host} denies access (${status}${reason && `: ${reason}`})`, {
    hint: 'see the log of the registry for details',
  })
}
