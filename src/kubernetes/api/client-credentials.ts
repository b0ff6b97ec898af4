import type {Agent as HttpAgent} from 'node:http'
import type {RequestOptions} from 'node:https'
import {createSecureContext} from 'node:tls'
import type {KubeConfig} from '@kubernetes/client-node/dist/config.js'
import {loadBundle} from '../../state/assets.ts'
import type {Credentials} from './credentials.ts'
import type {ClusterAccess, KubeconfigUser} from './kubeconfig.ts'

/** Returns a reader of credentials that uses the Kubernetes client, for token providers and SOCKS proxies. */
export function clientCredentials(access: ClusterAccess): (user: KubeconfigUser) => Promise<Credentials> {
  let loaded: {readonly user: string; readonly config: Promise<KubeConfig>} | undefined
  return async (user) => {
    // The client caches the token of a provider until it expires, and one agent for its user.
    const key = JSON.stringify(user)
    if (loaded?.user !== key) loaded = {user: key, config: loadClient(access, user)}
    const options: RequestOptions = {}
    await (await loaded.config).applyToHTTPSOptions(options)
    if (!options.agent) throw new Error('the Kubernetes client made no connection')
    const {ca, cert, key: privateKey} = options
    // Without this check an invalid certificate fails only at the first request, as if the cluster did not
    // respond.
    createSecureContext({...(ca && {ca}), ...(cert && {cert}), ...(privateKey && {key: privateKey})})
    return {agent: options.agent as HttpAgent, headers: requestHeaders(options)}
  }
}

async function loadClient(access: ClusterAccess, user: KubeconfigUser): Promise<KubeConfig> {
  const {KubeConfig} = await loadBundle('kubeconfig', () => import('@kubernetes/client-node/dist/config.js'))
  const config = new KubeConfig()
  const name = access.context
  const cluster = {...access.cluster, 'proxy-url': access.proxy}
  config.loadFromString(
    JSON.stringify({
      contexts: [{name, context: {cluster: name, user: name}}],
      clusters: [{name, cluster: {...cluster, server: access.server, ...withoutTls(access.server)}}],
      users: [{name, user}],
      'current-context': name,
    }),
  )
  return config
}

/**
 * Returns the settings for a server with plain HTTP, such as a local proxy: the client accepts it only
 * without TLS verification.
 */
function withoutTls(server: string): object {
  return server.startsWith('http:') ? {'insecure-skip-tls-verify': true} : {}
}

function requestHeaders({headers, auth}: RequestOptions): Record<string, string> {
  const plain = Object.entries(headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  )
  const basic = auth ? [['authorization', `Basic ${Buffer.from(auth).toString('base64')}`] as const] : []
  return Object.fromEntries([...basic, ...plain])
}
