import type {PersistentVolume} from 'kubernetes-types/core/v1.js'
import {type Environment, namespacesOf} from '../../environment/environment.ts'
import {DAEMON_SETS, DEPLOYMENTS, PODS, STATEFUL_SETS, VOLUMES} from '../../kubernetes/api/resources.ts'
import type {Served} from '../../kubernetes/api/served.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Workload as Listed, Node, Pod} from '../../kubernetes/gate/kinds/observed.ts'
import type {ResidentPod, Workload} from '../../nodes/removal-plan.ts'

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

/**
 * Returns the pods of an environment that are on a node, or that can only run there, because a volume of
 * theirs is.
 */
export async function readResidentPods(
  {objects}: Ports,
  environment: Environment,
  node: Node,
): Promise<readonly ResidentPod[]> {
  const claims = await claimsOn({objects}, node)
  const lists = await Promise.all(
    namespacesOf(environment).map((namespace) => objects.list<Pod>(PODS, namespace)),
  )
  return lists.flatMap((pods) =>
    (pods ?? []).flatMap(({metadata, spec, status}): readonly ResidentPod[] => {
      const {namespace = '', name, ownerReferences = []} = metadata
      const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed'
      const own = (spec?.volumes ?? []).flatMap(({persistentVolumeClaim}) => {
        const claim = persistentVolumeClaim?.claimName
        return claim !== undefined && claims.has(`${namespace}/${claim}`) ? [claim] : []
      })
      if (hasEnded || (spec?.nodeName !== node.metadata.name && own.length === 0)) return []
      const controller = ownerReferences.find((owner) => owner.controller)?.kind
      return [{name: `${namespace}/${name}`, controller, selector: spec?.nodeSelector ?? {}, claims: own}]
    }),
  )
}

const HOSTNAME = 'kubernetes.io/hostname'

/** Returns the claims, as `namespace/name`, whose volumes are on a node alone. */
async function claimsOn({objects}: Ports, {metadata}: Node): Promise<ReadonlySet<string>> {
  const volumes = (await objects.list<Served<PersistentVolume>>(VOLUMES, '')) ?? []
  const hostname = metadata.labels?.[HOSTNAME] ?? metadata.name
  const here = volumes.filter(({spec}) => {
    const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []
    const nodes = terms
      .flatMap(({matchExpressions = []}) => matchExpressions)
      .filter(({key}) => key === HOSTNAME)
      .flatMap(({values = []}) => values)
    return nodes.length === 1 && nodes[0] === hostname
  })
  return new Set(
    here.flatMap(({spec}) => (spec?.claimRef ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : [])),
  )
}
