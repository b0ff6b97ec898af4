import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {namespacesOf} from '../../environment/environment.ts'
import {DAEMON_SETS, DEPLOYMENTS, PODS, type Resource} from '../../kubernetes/api/resources.ts'
import type {SeenPod} from '../../kubernetes/exec/exec.ts'
import type {Observed} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import {reportsStatus} from '../../kubernetes/gate/service-status.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import {planReturn} from '../../nodes/drain-plan.ts'
import type {CloudFacts, OperationEvent} from '../../nodes/facts.ts'
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
  if (facts && host?.isForcedDown) await deleteLeftovers(cluster, facts, options)
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
 * elsewhere by now. Resolves when another pod is there: the DaemonSet is as healthy as before until then.
 * Throws `KK_UNHEALTHY` at the deadline.
 */
async function restartCompute({exec, objects}: DrainPorts, options: DrainOptions): Promise<void> {
  const {onProgress, deadline, signal} = options
  const former = await computePod(exec, options)
  if (!former) return
  const {namespace, name} = former
  onProgress(`restarting ${namespace}/${name}, which deletes the instances that run elsewhere by now`)
  await objects.delete(PODS, {namespace, name})
  const isReplaced = async () => {
    const pod = await computePod(exec, options)
    return pod !== undefined && pod.name !== name
  }
  if (await pollCluster(isReplaced, {interval: 1_000, deadline, signal})) return
  throw new KkError('KK_UNHEALTHY', `${options.node} has no pod of nova-compute after the restart`, {
    hint: `kubectl get pods --namespace ${namespace} --selector app.kubernetes.io/component=compute`,
  })
}

/** The pod of nova-compute on the node. */
async function computePod(
  exec: DrainPorts['exec'],
  {environment, node}: Pick<DrainOptions, 'environment' | 'node'>,
): Promise<SeenPod | undefined> {
  const pods = await podsOf(exec, environment)
  return pods.find((pod) => pod.node === node && pod.chart === 'nova' && pod.component === 'compute')
}

/** Nova's directory of instances on a node. */
const INSTANCES = '/var/lib/nova/instances'

/**
 * A script of bash that deletes directories, the names of which follow the one in which they are, if they
 * have no disk; it prints what it deletes.
 */
export const DELETE_WITHOUT_DISK = `
cd "$1" && shift || exit
for id; do
  if [ -d "$id" ] && [ ! -e "$id/disk" ]; then rm -r "$id" && echo "$id" || failed=1; fi
done
exit \${failed:-0}`

/**
 * Deletes what nova leaves on a node of instances that it has evacuated: with their disks in Ceph it keeps
 * their directories, and refuses to move them back as long as these exist (DestinationDiskExists).
 */
async function deleteLeftovers(
  {exec}: DrainPorts,
  {servers}: CloudFacts,
  options: DrainOptions,
): Promise<void> {
  const {node, onProgress} = options
  const pod = await computePod(exec, options)
  const elsewhere = servers.filter(({host}) => host !== node).map(({id}) => id)
  if (!pod || elsewhere.length === 0) return
  const {namespace, name, container} = pod
  const command = ['bash', '-c', DELETE_WITHOUT_DISK, 'delete', INSTANCES, ...elsewhere]
  const {code, stdout, stderr} = await exec.run({namespace, pod: name, container, command, timeout: 60_000})
  const deleted = stdout.split('\n').filter((line) => line !== '')
  if (code !== 0) onProgress(`not deleted: what evacuated instances left: ${stderr.trim()}`)
  if (deleted.length > 0) onProgress(`deleted what evacuated instances left: ${deleted.join(', ')}`)
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
