import type {PersistentVolume} from 'kubernetes-types/core/v1.js'
import {type Environment, namespacesOf} from '../../environment/environment.ts'
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  NODES,
  PODS,
  STATEFUL_SETS,
  VOLUMES,
} from '../../kubernetes/api/resources.ts'
import type {Served} from '../../kubernetes/api/served.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Workload as Listed, Node, Pod} from '../../kubernetes/gate/kinds/observed.ts'
import {matchesExpression} from '../../kubernetes/gate/nodes.ts'
import type {ResidentClaim, ResidentPod, Workload} from '../../nodes/removal-plan.ts'

type Ports = Pick<Cluster, 'objects'>

/** A workload of a chart, as the cluster has it. */
export interface LiveWorkload extends Workload {
  readonly namespace: string
  readonly object: Listed
}

/** Returns the workloads of charts in the namespaces of an environment. */
export async function readWorkloads(
  {objects}: Ports,
  environment: Environment,
): Promise<readonly LiveWorkload[]> {
  const lists = namespacesOf(environment).flatMap((namespace) =>
    [DAEMON_SETS, DEPLOYMENTS, STATEFUL_SETS].map(async (resource) => {
      const found = (await objects.list<Listed>(resource, namespace)) ?? []
      return found.map((object): LiveWorkload => {
        const labels = object.metadata.labels ?? {}
        return {
          ...{namespace, kind: resource.kind, object: {...object, kind: resource.kind}},
          chart: labels['app.kubernetes.io/name'] ?? '',
          component: labels['app.kubernetes.io/component'] ?? '',
          selector: object.spec?.template?.spec?.nodeSelector ?? {},
        }
      })
    }),
  )
  return (await Promise.all(lists)).flat()
}

/** Returns the pods on a node that is there, those of other environments, too. */
export async function readResidentPods(
  {evictions}: Pick<Cluster, 'evictions'>,
  environment: Environment,
  node: string,
): Promise<readonly ResidentPod[]> {
  const own = namespacesOf(environment)
  return (await evictions.pods(node)).map(({namespace, name, controller, selector, isBeingDeleted}) => {
    return {
      name: `${namespace}/${name}`,
      controller,
      selector,
      isBeingDeleted,
      isOurs: own.includes(namespace),
    }
  })
}

/** A claim, and whether its volume is a disk of the node, not one that the network has. */
interface SeenClaim extends ResidentClaim {
  readonly isLocal: boolean
}

/** Returns the claims of an environment whose volumes are on a node, and on no other. */
export async function readResidentClaims(
  {objects}: Ports,
  environment: Environment,
  node: Node,
): Promise<readonly SeenClaim[]> {
  const [volumes, nodes, ...pods] = await Promise.all([
    objects.list<Served<PersistentVolume>>(VOLUMES, ''),
    objects.list<Node>(NODES, ''),
    ...namespacesOf(environment).map((namespace) => objects.list<Pod>(PODS, namespace)),
  ])
  const others = (nodes ?? []).filter(({metadata}) => metadata.name !== node.metadata.name)
  const here = (volumes ?? []).filter((volume) => {
    const isOnlyHere = isBoundTo(volume, node) && !others.some((other) => isBoundTo(volume, other))
    return volume.status?.phase === 'Bound' && isOnlyHere
  })
  const mounts = new Map(
    pods.flat().flatMap((pod) => {
      if (!pod || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return []
      return (pod.spec?.volumes ?? []).flatMap(({persistentVolumeClaim: claim}) =>
        claim ? [[`${pod.metadata.namespace}/${claim.claimName}`, pod] as const] : [],
      )
    }),
  )
  return here.flatMap((volume): readonly SeenClaim[] => {
    const {namespace = '', name = ''} = volume.spec?.claimRef ?? {}
    if (!namespacesOf(environment).includes(namespace)) return []
    const pod = mounts.get(`${namespace}/${name}`)
    return [
      {
        name: `${namespace}/${name}`,
        pod: pod && `${namespace}/${pod.metadata.name}`,
        isLocal: isLocal(volume),
        selector: pod?.spec?.nodeSelector ?? {},
      },
    ]
  })
}

/**
 * Whether a volume has a node affinity that the node matches (Kubernetes 1.36:
 * component-helpers/storage/volume).
 */
function isBoundTo({spec}: Served<PersistentVolume>, {metadata}: Node): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms
  return (terms ?? []).some(({matchExpressions = [], matchFields = []}) => {
    const labels = matchExpressions.every((each) => matchesExpression(metadata.labels?.[each.key], each))
    return labels && matchFields.every((each) => matchesExpression(metadata.name, each))
  })
}

/** Whether a volume is a disk of one node, not one that follows its pods to others of the zone. */
function isLocal({spec}: Served<PersistentVolume>): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []
  return terms.some(({matchExpressions = [], matchFields = []}) => {
    return (
      matchFields.length > 0 ||
      matchExpressions.some(({key}) => /(^|[./])(hostname|node|nodename)$/.test(key))
    )
  })
}
