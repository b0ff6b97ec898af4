import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {proxyFor} from '../../state/network/proxy.ts'
import {type ClusterAccess, type KubeconfigOptions, parseServerAddress, readKubeconfig} from './kubeconfig.ts'

const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Returns the access to the cluster of a kubeconfig. If no kubeconfig is named or found, a pod's service
 * account gives access to its own cluster, as with kubectl and helm. Requests go through the proxy of the
 * kubeconfig or the environment. Throws `KK_KUBECONFIG`.
 */
export function clusterAccess(
  options: KubeconfigOptions,
  mounted = SERVICE_ACCOUNT_DIRECTORY,
): ClusterAccess {
  const {kubeconfig, context, env} = options
  const defaultFile = env.HOME && join(env.HOME, '.kube', 'config')
  const isNamed = kubeconfig !== undefined || context !== undefined || Boolean(env.KUBECONFIG)
  const isFound = isNamed || Boolean(defaultFile && existsSync(defaultFile))
  const access = (isFound ? undefined : serviceAccount(env, mounted)) ?? readKubeconfig(options)
  const proxy = access.cluster['proxy-url'] || proxyFor(access.server, env)
  return proxy === undefined ? access : {...access, proxy}
}

function serviceAccount(env: KubeconfigOptions['env'], mounted: string): ClusterAccess | undefined {
  const {KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443'} = env
  const tokenFile = join(mounted, 'token')
  if (!host || !existsSync(tokenFile)) return undefined
  const address = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  const server = parseServerAddress(address, 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT')
  const cluster = {server, 'certificate-authority': join(mounted, 'ca.crt')}
  return {context: 'in-cluster', server, kubeconfig: undefined, isOfPod: true, cluster, user: {tokenFile}}
}
