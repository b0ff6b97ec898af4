import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {NODES} from '../../kubernetes/api/resources.ts'
import type {Node} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import type {OperationEvent} from '../../nodes/facts.ts'
import {nodeLabels, planRemoval, type RemovalPlan} from '../../nodes/removal-plan.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {execute, findTemplate, settledFacts} from './instances.ts'
import {podsOf} from './kubernetes-node.ts'
import {chassisOf, deleteChassis, gatewayPorts, readSouthbound, southboundPod} from './southbound.ts'
import {readResidentPods, readWorkloads} from './workloads.ts'

export interface RemoveOptions extends DrainOptions {
  /** The labels to remove; all by which the charts select nodes if omitted. */
  readonly labels?: readonly string[] | undefined
}

/** Plans how a node leaves the cloud, also one that Kubernetes no longer has. Throws `KK_USAGE`. */
export async function planRemove(cluster: DrainPorts, options: RemoveOptions): Promise<RemovalPlan> {
  const {environment, node: name, labels} = options
  const [node, template, workloads] = await Promise.all([
    cluster.objects.read<Node>(NODES, {namespace: '', name}),
    findTemplate(cluster, environment),
    readWorkloads(cluster, environment),
  ])
  const reason = node && awayNode(node)?.reason
  const reports = node !== undefined && (reason === undefined || reason === 'Cordoned')
  const facts =
    template && (await settledFacts(cluster, template, {...options, ...(!reports && {avoidedNode: name})}))
  const southbound = await southboundOf(cluster, options)
  const seen = {
    ...{node: name, labels: node && (node.metadata.labels ?? {}), reports, workloads},
    pods: node ? await readResidentPods(cluster, environment, node) : [],
    chassis: southbound ? chassisOf(southbound, name).map((each) => each.name) : [],
    gateways: southbound ? gatewayPorts(southbound, name) : [],
  }
  const isThere = node || seen.chassis.length > 0 || facts?.hosts.some((host) => host.name === name)
  if (!isThere) {
    throw new KkError('KK_NO_NODE', `neither Kubernetes nor nova nor OVN has a node ${name}`, {
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

async function southboundOf({exec}: DrainPorts, {environment, files}: DrainOptions) {
  const pod = southboundPod(await podsOf(exec, environment))
  return pod && (await readSouthbound({exec, files}, pod))
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
  readonly operations: readonly OperationEvent[]
  /** What of the node is left, by the facts that were read afterwards. */
  readonly left: readonly string[]
}

/**
 * Takes a node out of the cloud: its labels, the chassis when its pods have ended, then its host in nova.
 * Idempotent: after an interruption, the next call goes on. Throws `KK_NODE_IN_USE`.
 */
export async function remove(
  cluster: DrainPorts,
  {plan, ...options}: RemoveOptions & {readonly plan: RemovalPlan},
): Promise<Removed> {
  const {environment, files, node, onProgress} = options
  refuseIfInUse(plan)
  if (plan.labels.length > 0) {
    const labels = Object.fromEntries(plan.labels.map((label) => [label, null]))
    await cluster.objects.merge(NODES, {namespace: '', name: node}, {metadata: {labels}})
    onProgress(`${node} has lost the labels ${plan.labels.join(', ')}`)
  }
  await ended(cluster, plan, options)
  const pod = plan.chassis.length > 0 ? southboundPod(await podsOf(cluster.exec, environment)) : undefined
  if (pod) {
    await deleteChassis({exec: cluster.exec, files}, pod, plan.chassis)
    onProgress('OVN has deleted its chassis')
  }
  const template = plan.removesHost ? await findTemplate(cluster, environment) : undefined
  const operations = template
    ? await execute(cluster, template, {...options, operations: [{do: 'remove', host: node}], concurrency: 1})
    : []
  const after = await planRemove(cluster, options).catch((error: unknown) => {
    if (error instanceof KkError && error.code === 'KK_NO_NODE') return undefined
    throw error
  })
  return {node, labels: plan.labels, operations, left: leftOf(after)}
}

function leftOf(after: RemovalPlan | undefined): readonly string[] {
  if (!after) return []
  return [
    ...after.labels.map((label) => `the label ${label}`),
    ...after.chassis.map((name) => `the chassis ${name} of OVN`),
    ...(after.removesHost ? ['the host in nova'] : []),
    ...after.ends.map((name) => `the pod ${name}`),
  ]
}

/** Resolves when the pods of DaemonSets have ended: otherwise they would register the node again. */
async function ended(
  {exec}: DrainPorts,
  {node, ends}: RemovalPlan,
  {environment, deadline, signal, onProgress}: RemoveOptions,
): Promise<void> {
  let left: readonly string[] = []
  const isOver = await pollUntil(
    async () => {
      const pods = await podsOf(exec, environment)
      left = pods.map(({namespace, name}) => `${namespace}/${name}`).filter((name) => ends.includes(name))
      return left.length === 0
    },
    {interval: 2_000, deadline, signal},
  )
  if (!isOver)
    throw new KkError('KK_UNHEALTHY', `pods on ${node} do not end: ${left.join(', ')}`, {
      hint: 'kk node remove goes on when they have',
    })
  if (ends.length > 0) onProgress(`${ends.length} pods of DaemonSets have ended`)
}
