import {KkError} from '../../base/errors.ts'
import {NODES} from '../../kubernetes/api/resources.ts'
import type {SeenPod} from '../../kubernetes/exec/exec.ts'
import type {Node} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import type {CloudFacts, OperationEvent} from '../../nodes/facts.ts'
import {
  isKnown,
  nodeLabels,
  planRemoval,
  type RemovalPlan,
  type RemovedNode,
  type Workload,
} from '../../nodes/removal-plan.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {execute, findTemplate, settledFacts} from './instances.ts'
import {podsOf} from './kubernetes-node.ts'
import {cephPod, emptyOsds, purgeOsds, readOsds} from './osds.ts'
import {
  deleteAgents,
  deleteChassis,
  gatewayPorts,
  readSouthbound,
  removableChassis,
  southboundPod,
} from './southbound.ts'
import {readResidentClaims, readResidentPods, readWorkloads} from './workloads.ts'

export interface RemoveOptions extends DrainOptions {
  /** The labels to remove; all by which the charts select nodes if omitted. */
  readonly labels?: readonly string[] | undefined
}

/**
 * Plans how a node leaves the cloud, also one that Kubernetes no longer has. Throws `KK_NO_NODE`, `KK_USAGE`,
 * and `KK_EXEC` if nova, OVN or Ceph runs and cannot be asked.
 */
export async function planRemove(cluster: DrainPorts, options: RemoveOptions): Promise<RemovalPlan> {
  const {environment, node: name, labels} = options
  const [node, workloads] = await Promise.all([
    cluster.objects.read<Node>(NODES, {namespace: '', name}),
    readWorkloads(cluster, environment),
  ])
  const reason = node && awayNode(node)?.reason
  const reports = node !== undefined && (reason === undefined || reason === 'Cordoned')
  const avoided = reports ? {} : {avoidedNode: name}
  const facts = await novaFacts(cluster, workloads, {...options, ...avoided})
  const pods = await podsOf(cluster.exec, environment)
  const elsewhere = reports ? pods : pods.filter((pod) => pod.node !== name)
  const [southbound, ceph] = await Promise.all([
    southboundOf(cluster, workloads, elsewhere, options),
    cephOf(cluster, workloads, elsewhere, options),
  ])
  const seen: RemovedNode = {
    ...{node: name, labels: node && (node.metadata.labels ?? {}), reports, workloads, ceph},
    pods: node ? await readResidentPods(cluster, environment, name) : [],
    claims: node ? await readResidentClaims(cluster, environment, node) : [],
    chassis: southbound ? removableChassis(southbound, name) : [],
    gateways: southbound ? gatewayPorts(southbound, name) : [],
  }
  const isThere =
    node || seen.chassis.length > 0 || (ceph?.osds.length ?? 0) > 0 || (facts && isKnown(facts, name, false))
  if (!isThere) {
    throw new KkError('KK_NO_NODE', `neither Kubernetes nor nova, OVN or Ceph has a node ${name}`, {
      hint: 'kk node list shows the nodes',
    })
  }
  const known = nodeLabels(workloads)
  const unknown = labels?.find((label) => !known.includes(label))
  if (unknown !== undefined) {
    throw new KkError('KK_USAGE', `no chart of ${environment.name} selects nodes by the label ${unknown}`, {
      hint: `they select by ${known.join(', ')}`,
    })
  }
  return planRemoval(seen, {facts, only: labels})
}

/** Asks nova; undefined if no chart runs it. Without its answer, it is not known what is on a node. */
async function novaFacts(
  cluster: DrainPorts,
  workloads: readonly Workload[],
  options: RemoveOptions,
): Promise<CloudFacts | undefined> {
  const template = await findTemplate(cluster, options.environment)
  const facts = template && (await settledFacts(cluster, template, options))
  const isOld = facts !== undefined && facts.agents === undefined
  if (
    isOld ||
    (!facts && workloads.some(({chart, component}) => chart === 'nova' && component === 'compute'))
  ) {
    throw new KkError('KK_NOT_INSTALLED', 'nova runs, but cannot be asked what is on its hosts', {
      hint: 'deploy nova with the charts of this kk first',
    })
  }
  return facts
}

async function southboundOf(
  {exec}: DrainPorts,
  workloads: readonly Workload[],
  pods: readonly SeenPod[],
  {files}: DrainOptions,
) {
  const pod = southboundPod(pods)
  if (pod) return readSouthbound({exec, files}, pod)
  if (!workloads.some(({chart}) => chart === 'ovn')) return undefined
  throw new KkError('KK_EXEC', 'no pod of the southbound database of OVN runs, so the gateways are unknown')
}

async function cephOf(
  {exec}: DrainPorts,
  workloads: readonly Workload[],
  pods: readonly SeenPod[],
  {node}: DrainOptions,
) {
  const pod = cephPod(pods)
  if (pod) return readOsds(exec, pod, node)
  if (!workloads.some(({chart, component}) => chart === 'ceph' && component === 'osd')) return undefined
  throw new KkError(
    'KK_EXEC',
    'Ceph cannot be asked for its osds: its pod of the component status does not run',
  )
}

/** Throws `KK_NODE_IN_USE` if something of the cloud lives on the node. */
export function refuseIfInUse({node, residents}: RemovalPlan): void {
  if (residents.length === 0) return
  throw new KkError('KK_NODE_IN_USE', `${node} is in use: ${residents.join('; ')}`)
}

/** The result of a removal. */
export interface Removed {
  readonly node: string
  readonly labels: readonly string[]
  /** The labels by which charts select nodes and that it keeps. */
  readonly keeps: readonly string[]
  readonly operations: readonly OperationEvent[]
  /** What of the node is left, by the facts that were read afterwards. */
  readonly left: readonly string[]
}

/**
 * Takes a node out of the cloud: its osds when their data is elsewhere, its labels, its host in nova when its
 * pods have ended, and its chassis. Plans again first: a user may have thought about the plan for long.
 * Idempotent: after an interruption, the next call goes on. Throws `KK_NODE_IN_USE`.
 */
export async function remove(cluster: DrainPorts, options: RemoveOptions): Promise<Removed> {
  const {environment, node, onProgress} = options
  const plan = await planRemove(cluster, options)
  refuseIfInUse(plan)
  const podsNow = () => podsOf(cluster.exec, environment)
  const ceph = plan.osds.length > 0 ? cephPod(await podsNow()) : undefined
  if (ceph) await emptyOsds(cluster.exec, ceph, {...options, osds: plan.osds})
  if (plan.labels.length > 0) {
    const labels = Object.fromEntries(plan.labels.map((label) => [label, null]))
    await cluster.objects.merge(NODES, {namespace: '', name: node}, {metadata: {labels}})
    onProgress(`${node} has lost the labels ${plan.labels.join(', ')}`)
  }
  if (ceph) await purgeOsds(cluster, ceph, {...options, osds: plan.osds, claims: plan.claims})
  await ended(cluster, plan, options)
  const operations = plan.removesHost ? await removeHost(cluster, plan, options) : []
  const isRemoved = operations.every(({event}) => event === 'done')
  const ovn = isRemoved && plan.chassis.length > 0 ? southboundPod(await podsNow()) : undefined
  if (ovn) {
    await (plan.keepsChassis ? deleteAgents : deleteChassis)(cluster.exec, ovn, plan.chassis)
    onProgress(plan.keepsChassis ? 'neutron has deleted its agents' : 'OVN has deleted its chassis')
  }
  return {node, labels: plan.labels, keeps: plan.keeps, operations, left: await leftOf(cluster, options)}
}

async function removeHost(
  cluster: DrainPorts,
  {keepsChassis}: RemovalPlan,
  options: RemoveOptions,
): Promise<readonly OperationEvent[]> {
  const {node, environment} = options
  const template = await findTemplate(cluster, environment)
  if (!template) return []
  const operations = [{do: 'remove', host: node, keepsChassis}] as const
  return execute(cluster, template, {...options, avoidedNode: node, operations, concurrency: 1})
}

/** Reads again what is there. */
async function leftOf(cluster: DrainPorts, options: RemoveOptions): Promise<readonly string[]> {
  const after = await planRemove(cluster, options).catch((error: unknown) => {
    if (error instanceof KkError && error.code === 'KK_NO_NODE') return undefined
    throw error
  })
  if (!after) return []
  const {labels, osds, chassis, keepsChassis, removesHost, ends} = after
  return [
    ...labels.map((label) => `the label ${label}`),
    ...osds.map(({id}) => `osd.${id} of Ceph`),
    ...chassis.map(({name}) =>
      keepsChassis ? `agents of neutron on chassis ${name}` : `the chassis ${name} of OVN`,
    ),
    ...(removesHost ? ['its host, its resource provider or its agents'] : []),
    ...ends.map((name) => `the pod ${name}`),
  ]
}

/** Resolves when the pods of DaemonSets have ended: otherwise they would register the node again. */
async function ended(
  cluster: DrainPorts,
  {node, labels}: RemovalPlan,
  {environment, deadline, signal, onProgress}: RemoveOptions,
): Promise<void> {
  const seen = await cluster.objects.read<Node>(NODES, {namespace: '', name: node})
  const reason = seen && awayNode(seen)?.reason
  // Pods of a silent kubelet end when it is back.
  if (!seen || reason === 'NotReady' || reason === 'BeingDeleted') return
  let left: readonly string[] = []
  const isOver = await pollCluster(
    async () => {
      const pods = await readResidentPods(cluster, environment, node)
      left = pods
        .filter(({isOurs, controller, selector}) => {
          return isOurs && controller === 'DaemonSet' && labels.some((label) => label in selector)
        })
        .map(({name}) => name)
      return left.length === 0
    },
    {interval: 2_000, deadline, signal},
  )
  if (!isOver) {
    throw new KkError('KK_UNHEALTHY', `pods on ${node} do not end: ${left.join(', ')}`, {
      hint: 'kk node remove goes on when they have',
    })
  }
  if (labels.length > 0) onProgress('the pods of DaemonSets have ended')
}
