import type {Agent as HttpAgent} from 'node:http'
import type {RequestOptions} from 'node:https'
import {createSecureContext} from 'node:tls'
import type {KubeConfig} from '@kubernetes/client-node/dist/config.js'
import {loadBundle} from '../../state/assets.ts'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import type {Credentials} from './credentials.ts'
import type {ClusterAccess, KubeconfigUser} from './kubeconfig.ts'

/**
 * Returns a reader of credentials by the Kubernetes client: plugins (`exec`), whose tokens it keeps until they expire,
 * token providers, proxies.
 */
export function clientCredentials(access: ClusterAccess): () => Promise<Credentials> {
  let loaded: Promise<KubeConfig> | undefined
  return async () => {
    loaded ??= loadClient(access)
    const options: RequestOptions = {}
    await (await loaded).applyToHTTPSOptions(options)
    if (!options.agent) throw new Error('the Kubernetes client made no connection')
    const {ca, cert, key} = options
    // Without this check an invalid certificate fails only when a request is made, and looks like a cluster that does
    // not answer.
    createSecureContext({...(ca && {ca}), ...(cert && {cert}), ...(key && {key})})
    return {agent: options.agent as HttpAgent, headers: headersOf(options)}
  }
}

async function loadClient(access: ClusterAccess): Promise<KubeConfig> {
  const {KubeConfig} = await loadBundle('kubeconfig', () => import('@kubernetes/client-node/dist/config.js'))
  const config = new KubeConfig()
  const name = access.context
  config.loadFromString(
    JSON.stringify({
      contexts: [{name, context: {cluster: name, user: name}}],
      clusters: [{name, cluster: {...access.cluster, server: access.server, ...withoutTls(access.server)}}],
      users: [{name, user: withExecInfo(access.user)}],
      'current-context': name,
    }),
  )
  return config
}

/**
 * Returns the settings for a server with plain HTTP, such as a local proxy: the client refuses it unless TLS need not
 * be verified, and there is none.
 */
function withoutTls(server: string): object {
  return server.startsWith('http:') ? {'insecure-skip-tls-verify': true} : {}
}

/**
 * Returns the user with the variable from which plugins read the request (client-go: exec.go), which the client leaves
 * out, and with a variable without a value for each that a plugin does not inherit.
 */
function withExecInfo(user: KubeconfigUser): object {
  if (!user.exec) return user
  const {apiVersion, env} = user.exec as {apiVersion?: string; env?: readonly object[] | null}
  const info = {apiVersion, kind: 'ExecCredential', spec: {interactive: false}}
  const entry = {name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info)}
  const inherited = foreignEnvironment(process.env)
  const own = Object.keys(process.env).filter((name) => !(name in inherited))
  return {...user, exec: {...user.exec, env: [...own.map((name) => ({name})), ...(env ?? []), entry]}}
}

function headersOf({headers, auth}: RequestOptions): Record<string, string> {
  const given = Object.entries(headers ?? {}).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  )
  const basic = auth ? [['authorization', `Basic ${Buffer.from(auth).toString('base64')}`] as const] : []
  return Object.fromEntries([...basic, ...given])
}
