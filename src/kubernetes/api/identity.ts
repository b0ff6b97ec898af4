import {KkError} from '../../base/errors.ts'
import {isApiError} from './api-error.ts'
import type {ApiClient} from './client.ts'
import {METADATA} from './list.ts'
import {NAMESPACES, readObject} from './resources.ts'

export interface ClusterIdentity {
  /** UID of the namespace `kube-system`: the same for every context that reaches this cluster. */
  readonly uid: string
  /** E.g. `v1.36.3`. */
  readonly version: string
}

/**
 * The oldest supported minor version of Kubernetes 1, by the APIs that kk uses: Deployments, Leases,
 * aggregated discovery.
 */
export const OLDEST_KUBERNETES = '1.29'

/** Returns UID and version of the cluster. Throws `KK_KUBERNETES_VERSION` for an unsupported version. */
export async function readIdentity(client: ApiClient): Promise<ClusterIdentity> {
  const [version, namespace] = await Promise.all([
    client.json<{gitVersion: string}>({path: '/version', summary: 'report its version'}),
    readObject<{metadata: {uid: string}}>(client, NAMESPACES, {
      namespace: '',
      name: 'kube-system',
      accept: METADATA,
    }),
  ])
  checkVersion(version.gitVersion, client.context)
  if (namespace === undefined) {
    throw new KkError(
      'KK_API',
      `${client.server} has no namespace kube-system: it is not a Kubernetes cluster`,
    )
  }
  return {uid: namespace.metadata.uid, version: version.gitVersion}
}

/**
 * Throws `KK_UNREACHABLE` while the API server reports that it is not ready: right after its start it refuses
 * requests that it accepts later. One without `/readyz` counts as ready.
 */
export async function expectReady(client: ApiClient): Promise<void> {
  try {
    await client.text({path: '/readyz', summary: 'report its readiness'})
  } catch (error) {
    if (!isApiError(error)) throw error
    if (error.status < 500) return
    throw new KkError('KK_UNREACHABLE', `the API server at ${client.server} is not ready yet`, {cause: error})
  }
}

/**
 * Throws `KK_KUBERNETES_VERSION` for a version that is too old; `version` is the API server's, e.g.
 * `v1.31.4-gke.1256`. A version that cannot be parsed passes.
 */
export function checkVersion(version: string, context: string): void {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  if (major === undefined || minor === undefined) return
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_KUBERNETES.split('.').map(Number)
  const isOld = Number(major) < oldestMajor || (Number(major) === oldestMajor && Number(minor) < oldestMinor)
  if (!isOld) return
  throw new KkError(
    'KK_KUBERNETES_VERSION',
    `the cluster of context "${context}" runs Kubernetes ${version}; kk needs ${OLDEST_KUBERNETES} or newer`,
    {hint: 'upgrade the cluster, or choose another with --context'},
  )
}
