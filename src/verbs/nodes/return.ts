import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {namespacesOf} from '../../environment/environment.ts'
import {DAEMON_SETS, DEPLOYMENTS, PODS, type Resource} from '../../kubernetes/api/resources.ts'
import type {Observed} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import {reportsStatus} from '../../kubernetes/gate/service-status.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import {planReturn} from '../../nodes/drain-plan.ts'
import type {OperationEvent} from '../../nodes/facts.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {findSwitch, returnGateways} from './gateways.ts'
import {execute, findTemplate, settledFacts} from './instances.ts'
import {awaitHealthy, podsOf, readNode, uncordon} from './kubernetes-node.ts'

/** The result of the return of a node. */
export interface Returned {
  readonly node: string
  /** False if a user has cordoned it. */
  readonly isSchedulable: boolean
  readonly operations: readonly OperationEvent[]
}

export interface ReturnOptions extends DrainOptions {
  /** The releases whose objects are not awaited, as `namespace/name`. */
  readonly ignored?: readonly string[]
}

/**
 * Takes a drained or evacuated node back: makes it schedulable if kk has cordoned it, waits until it and its
 * pods are ready and the services report that all their parts are up, enables the host in nova if kk has
 * disabled it, and starts the instances that kk has stopped. Idempotent. Throws `KK_UNHEALTHY` at the
 * deadline.
 */
export async function returnNode(cluster: DrainPorts, options: ReturnOptions): Promise<Returned> {
  const {environment, node, files, onProgress} = options
  const isSchedulable = await uncordon(cluster, await readNode(cluster, node))
  onProgress(isSchedulable ? `${node} is schedulable` : `${node} stays cordoned: kk did not cordon it`)
  await nodeReady(cluster, options)
  const template = await findTemplate(cluster, environment)
  const facts = template && (await settledFacts(cluster, template, options))
  const host = facts?.hosts.find(({name}) => name === node)
  if (host?.isForcedDown) await restartCompute(cluster, options)
  await healthy(cluster, DAEMON_SETS, options)
  const found = await findSwitch({exec: cluster.exec, files}, environment, node)
  if (found) await returnGateways(found)
  const operations =
    template && facts && host
      ? await execute(cluster, template, {...options, operations: planReturn(facts, node), concurrency: 2})
      : []
  // Each reports that its hosts, agents, chassis and queues are there.
  await healthy(cluster, DEPLOYMENTS, options, reportsStatus)
  return {node, isSchedulable, operations}
}

/** Resolves when the kubelet reports that the node is ready: gates do not wait for nodes that are away. */
async function nodeReady(cluster: DrainPorts, {node, deadline, signal}: DrainOptions): Promise<void> {
  const isReady = await pollCluster(
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
  const pods = await podsOf(exec, environment)
  for (const {namespace, name, chart, component} of pods.filter((pod) => pod.node === node)) {
    if (chart !== 'nova' || component !== 'compute') continue
    onProgress(`restarting ${namespace}/${name}, which deletes the instances that run elsewhere by now`)
    await objects.delete(PODS, {namespace, name})
  }
}

/**
 * Resolves when the objects of a kind in the namespaces of the environment are healthy, or those that are
 * chosen.
 */
async function healthy(
  cluster: DrainPorts,
  resource: Resource,
  options: ReturnOptions,
  isChosen: (object: Observed) => boolean = () => true,
): Promise<void> {
  const {apiVersion, kind} = resource
  const ignored = new Set(options.ignored)
  await mapParallel(namespacesOf(options.environment), async (namespace) => {
    const all = (await cluster.objects.list<Observed>(resource, namespace)) ?? []
    const release = ({metadata}: Observed) =>
      `${namespace}/${metadata.labels?.['app.kubernetes.io/instance']}`
    const chosen = all
      .filter((each) => isChosen(each) && !ignored.has(release(each)))
      .map((each) => ({...each, apiVersion, kind}))
    if (chosen.length > 0) await awaitHealthy(cluster, {namespace, objects: chosen}, options)
  })
}
