import {clusterAccess} from '../../src/kubernetes/api/access.ts'
import {openClient} from '../../src/kubernetes/api/client.ts'
import {readIdentity} from '../../src/kubernetes/api/identity.ts'
import {listAll, METADATA_LIST} from '../../src/kubernetes/api/list.ts'
import {NAMESPACES, NODES, PODS, resourcePath} from '../../src/kubernetes/api/resources.ts'

/** The namespace of the demo's releases. */
const NAMESPACE = 'kk-demo'
/** The namespaces of a new Kubernetes, kind and k3s included, and those of an earlier demo. */
const EXPECTED = [
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease', 'local-path-storage'],
  ...[NAMESPACE, 'kk-system'],
]
const LABEL = 'openstack-control-plane'

interface Metadata {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
}

/** The metadata of objects in a cluster. */
export interface ClusterUse {
  readonly namespaces: readonly Metadata[]
  /** Those in the namespace `default`. */
  readonly pods: readonly Metadata[]
  readonly nodes: readonly Metadata[]
}

/** A cluster that the user named by both, never by `KUBECONFIG` or the current context. */
export interface DemoCluster {
  readonly kubeconfig: string
  readonly context: string
}

/**
 * Returns what keeps the demo from deploying to a cluster: anything in it that a new one does not have, or
 * no node that the charts select.
 */
export function obstacles({namespaces, pods, nodes}: ClusterUse): readonly string[] {
  const names = (objects: readonly Metadata[]) => objects.map(({name}) => name).join(', ')
  const others = namespaces.filter(({name}) => !EXPECTED.includes(name))
  const isLabelled = nodes.some(({labels}) => labels?.[LABEL] === 'enabled')
  return [
    ...(others.length > 0 ? [`it is in use: it has the namespaces ${names(others)}`] : []),
    ...(pods.length > 0 ? [`it is in use: the namespace default has the pods ${names(pods)}`] : []),
    ...(isLabelled ? [] : [`no node has the label: kubectl label node --all ${LABEL}=enabled`]),
  ]
}

/** Returns the obstacles of a real cluster. Throws `KK_KUBERNETES_VERSION` if its version is too old. */
export async function readObstacles(cluster: DemoCluster): Promise<readonly string[]> {
  const client = openClient(clusterAccess({...cluster, env: process.env}))
  const list = async (path: string, summary: string) => {
    const {items} = await listAll<{metadata: Metadata}>(client, {path, summary, accept: METADATA_LIST})
    return items.map(({metadata}) => metadata)
  }
  try {
    await readIdentity(client)
    return obstacles({
      namespaces: await list(resourcePath(NAMESPACES, ''), 'list namespaces'),
      pods: await list(resourcePath(PODS, 'default'), 'list pods in default'),
      nodes: await list(resourcePath(NODES, ''), 'list nodes'),
    })
  } finally {
    client.close()
  }
}

/**
 * Returns the demo's environment for a cluster: bound to its context, in a namespace of its own, with images
 * of a registry, or of kolla for `upstream`.
 */
export function clusterEnvironment(
  base: string,
  {context}: Pick<DemoCluster, 'context'>,
  registry?: string,
): string {
  const isUpstream = registry === 'upstream'
  const kk = {
    ...{name: 'demo', namespace: NAMESPACE, context, include: [base]},
    ...(isUpstream && {features: ['kolla']}),
  }
  const global = registry === undefined || isUpstream ? {} : {images: {registry}}
  return `${JSON.stringify({kk, global}, undefined, 2)}\n`
}
