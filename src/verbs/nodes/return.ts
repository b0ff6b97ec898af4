import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {namespacesOf} from '../../environment/environment.ts'
import {DAEMON_SETS, DEPLOYMENTS, PODS} from '../../kubernetes/api/resources.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import type {Observed} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import {reportsStatus} from '../../kubernetes/gate/service-status.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {planReturn} from '../../nodes/drain-plan.ts'
import type {OperationEvent} from '../../nodes/facts.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {findSwitch, returnGateways} from './gateways.ts'
import {execute, findTemplate, settledFacts} from './instances.ts'
import {readNode, uncordon} from './kubernetes-node.ts'

/** The result of the return of a node. */
export interface Returned {
  readonly node: string
  /** False if a user has cordoned it. */
  readonly isSchedulable: boolean
  readonly operations: readonly OperationEvent[]
}

/**
 * Takes a drained or evacuated node back: makes it schedulable if kk has cordoned it, waits until it and its
 * pods are ready and the services report that all their parts are up, enables the host in nova if kk has
 * disabled it, and starts the instances that kk has stopped. Idempotent. Throws `KK_UNHEALTHY` at the
 * deadline.
 */
export async function returnNode(cluster: DrainPorts, options: DrainOptions): Promise<Returned> {
  const {environment, node, files, onProgress} = options
  const isSchedulable = await uncordon(cluster, await readNode(cluster, node))
  onProgress(isSchedulable ? `${node} is schedulable` : `${node} stays cordoned: kk did not cordon it`)
  await nodeReady(cluster, options)
  const template = await findTemplate(cluster, environment)
  const facts = template && (await settledFacts(cluster, template, options))
  const host = facts?.hosts.find(({name}) => name === node)
  if (host?.isForcedDown) await restartCompute(cluster, options)
  await daemonsReady(cluster, options)
  const found = await findSwitch({exec: cluster.exec, files}, environment, node)
  if (found) await returnGateways(found)
  const operations =
    template && facts && host
      ? await execute(cluster, template, {...options, operations: planReturn(facts, node), concurrency: 2})
      : []
  await servicesUp(cluster, options)
  return {node, isSchedulable, operations: operations.filter(({event}) => event !== 'started')}
}

/** Resolves when the kubelet reports that the node is ready: gates do not wait for nodes that are away. */
async function nodeReady(cluster: DrainPorts, {node, deadline, signal}: DrainOptions): Promise<void> {
  const isReady = await pollUntil(
    async () => {
      const reason = awayNode(await readNode(cluster, node))?.reason
      return reason === undefined || reason === 'Cordoned'
    },
    {interval: 2_000, deadline, signal},
  )
  if (!isReady)
    throw new KkError('KK_UNHEALTHY', `${node} is not Ready`, {hint: `kubectl describe node ${node}`})
}

/**
 * Restarts nova-compute on a node that was evacuated: at its start it deletes the instances that run
 * elsewhere by now.
 */
async function restartCompute(
  {exec, objects}: DrainPorts,
  {environment, node, onProgress}: DrainOptions,
): Promise<void> {
  const pods = (await Promise.all(namespacesOf(environment).map((each) => exec.pods(each)))).flat()
  for (const {namespace, name, chart, component} of pods.filter((pod) => pod.node === node)) {
    if (chart !== 'nova' || component !== 'compute') continue
    onProgress(`restarting ${namespace}/${name}, which deletes the instances that run elsewhere by now`)
    await objects.delete(PODS, {namespace, name})
  }
}

/** Resolves when the pods of all DaemonSets of the environment are ready, on this node too. */
async function daemonsReady(cluster: DrainPorts, options: DrainOptions): Promise<void> {
  await Promise.all(
    namespacesOf(options.environment).map(async (namespace) => {
      const sets = (await cluster.objects.list<Observed>(DAEMON_SETS, namespace)) ?? []
      await gate(
        cluster,
        namespace,
        sets.map((set) => ({...set, apiVersion: 'apps/v1', kind: 'DaemonSet'})),
        options,
      )
    }),
  )
}

/** Resolves when the services report that they are healthy: hosts, agents, chassis, queues. */
async function servicesUp(cluster: DrainPorts, options: DrainOptions): Promise<void> {
  await Promise.all(
    namespacesOf(options.environment).map(async (namespace) => {
      const all = (await cluster.objects.list<Observed>(DEPLOYMENTS, namespace)) ?? []
      const reporting = all.filter(reportsStatus)
      await gate(
        cluster,
        namespace,
        reporting.map((each) => ({...each, apiVersion: 'apps/v1', kind: 'Deployment'})),
        options,
      )
    }),
  )
}

async function gate(
  {health}: DrainPorts,
  namespace: string,
  objects: readonly KubernetesObject[],
  {deadline, signal, onProgress}: DrainOptions,
): Promise<void> {
  if (objects.length === 0) return
  await health.gate({
    ...{namespace, objects, deadline, ...(signal && {signal})},
    onProgress: ([first]) => first && onProgress(describeCause(first)),
  })
}
