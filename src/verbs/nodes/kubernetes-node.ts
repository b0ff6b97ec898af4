import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {type Environment, namespacesOf} from '../../environment/environment.ts'
import {NODES} from '../../kubernetes/api/resources.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {NodePod} from '../../kubernetes/evictions.ts'
import type {Exec, SeenPod} from '../../kubernetes/exec/exec.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import {findCondition, type Node} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'

type NodePorts = Pick<Cluster, 'objects' | 'evictions'>

/** Returns the pods of charts in the namespaces of an environment. */
export async function podsOf(
  {pods}: Pick<Exec, 'pods'>,
  environment: Environment,
): Promise<readonly SeenPod[]> {
  return (await Promise.all(namespacesOf(environment).map((namespace) => pods(namespace)))).flat()
}

/** Whether Kubernetes has heard nothing of a node's kubelet: its Lease has expired. */
export function isSilent(node: Node): boolean {
  return awayNode(node)?.reason === 'NotReady' && findCondition(node, 'Ready')?.status === 'Unknown'
}

/** Resolves when objects of a namespace are healthy. Throws `KK_UNHEALTHY` at the deadline. */
export async function awaitHealthy(
  {health}: Pick<Cluster, 'health'>,
  {namespace, objects}: {readonly namespace: string; readonly objects: readonly KubernetesObject[]},
  {deadline, signal, onProgress}: Waiting,
): Promise<void> {
  await health.gate({
    ...{namespace, objects, deadline, ...(signal && {signal})},
    onProgress: ([first]) => first && onProgress(describeCause(first)),
  })
}

/** The annotation of a node that kk has cordoned, so that only such a node is taken back. */
export const DRAINED_ANNOTATION = 'kk.openstack.org/drained'

/** Reads a node. Throws `KK_NO_NODE`. */
export async function readNode({objects}: Pick<Cluster, 'objects'>, name: string): Promise<Node> {
  const node = await objects.read<Node>(NODES, {namespace: '', name})
  if (node) return node
  const all = (await objects.list<Node>(NODES, '')) ?? []
  throw new KkError('KK_NO_NODE', `the cluster has no node ${name}`, {
    hint: `its nodes are ${all.map(({metadata}) => metadata.name).join(', ')}`,
  })
}

/** Makes a node unschedulable, with a mark that kk did so; one that a user has cordoned has no mark. */
export async function cordon({objects}: Pick<Cluster, 'objects'>, node: Node): Promise<void> {
  if (node.spec?.unschedulable) return
  await objects.merge(
    NODES,
    {namespace: '', name: node.metadata.name},
    {
      metadata: {annotations: {[DRAINED_ANNOTATION]: 'true'}},
      spec: {unschedulable: true},
    },
  )
}

/** Makes a node schedulable that kk has cordoned. Returns false if a user has. */
export async function uncordon({objects}: Pick<Cluster, 'objects'>, node: Node): Promise<boolean> {
  const isMarked = node.metadata.annotations?.[DRAINED_ANNOTATION] !== undefined
  if (node.spec?.unschedulable && !isMarked) return false
  if (!isMarked) return true
  await objects.merge(
    NODES,
    {namespace: '', name: node.metadata.name},
    {
      metadata: {annotations: {[DRAINED_ANNOTATION]: null}},
      spec: {unschedulable: null},
    },
  )
  return true
}

/** The pods of a node: those that are evicted, and those without a controller, which nothing re-creates. */
export interface DrainedPods {
  readonly evicted: readonly NodePod[]
  readonly unmanaged: readonly NodePod[]
}

/**
 * Returns the pods that leave a node; those of DaemonSets stay, those that block a drain end by themselves.
 */
export async function podsToEvict(
  {evictions}: Pick<Cluster, 'evictions'>,
  node: string,
): Promise<DrainedPods> {
  const all = await evictions.pods(node)
  const pods = all.filter(({controller, blocksDrain}) => controller !== 'DaemonSet' && !blocksDrain)
  return {
    evicted: pods.filter(({controller}) => controller !== undefined),
    unmanaged: pods.filter(({controller}) => controller === undefined),
  }
}

interface Waiting {
  /** Milliseconds since the epoch. */
  readonly deadline: number
  readonly signal?: AbortSignal | undefined
  /** Receives why a pod waits, when that changes. */
  readonly onProgress: (line: string) => void
}

interface Evicting extends Waiting {
  readonly pods: readonly NodePod[]
}

/** A pod that is still there at the deadline, and why. */
export interface Unevicted {
  readonly pod: string
  readonly why: string
}

/** How long the component `drain-blocker` has to read that no instance runs, in milliseconds. */
const UNBLOCK_TIMEOUT_MS = 120_000

/**
 * Waits until no pod blocks the drain of a node, and returns those that still do. Nova's component
 * `drain-blocker` deletes them; it needs to run, so this comes before the eviction of other pods.
 */
export async function unblocked(
  {evictions}: Pick<NodePorts, 'evictions'>,
  node: string,
  {deadline, signal, onProgress}: Waiting,
): Promise<readonly Unevicted[]> {
  let blocking: readonly NodePod[] = []
  await pollCluster(
    async () => {
      const found = (await evictions.pods(node)).filter(({blocksDrain}) => blocksDrain)
      if (found.length > 0 && blocking.length === 0)
        onProgress(`waiting until nova's drain-blocker sees that no instance runs on ${node}`)
      blocking = found
      return found.length === 0
    },
    {interval: 1_000, deadline: Math.min(deadline, Date.now() + UNBLOCK_TIMEOUT_MS), signal},
  )
  return blocking.map((pod) => ({
    pod: podText(pod),
    why: "nova's databases have an instance that runs here, or the pod of nova-drain-blocker does not run or cannot read them",
  }))
}

/** Evicts pods as their budgets allow, and waits until they are gone. */
export async function evict(
  {evictions}: Pick<NodePorts, 'evictions'>,
  node: string,
  {pods, deadline, signal, onProgress}: Evicting,
): Promise<readonly Unevicted[]> {
  const waiting = new Map<string, string>()
  await mapParallel(pods, async (pod) => {
    const name = podText(pod)
    await pollCluster(
      async () => {
        const refused = await evictions.evict(pod)
        if (refused !== undefined && waiting.get(name) !== refused) onProgress(`${name} waits: ${refused}`)
        if (refused === undefined) waiting.delete(name)
        else waiting.set(name, refused)
        return refused === undefined
      },
      {interval: RETRY_MS, deadline, signal},
    )
  })
  const uids = new Set(pods.map(({uid}) => uid))
  let left: readonly NodePod[] = pods
  await pollCluster(
    async () => {
      left = (await evictions.pods(node)).filter(({uid}) => uids.has(uid))
      return left.length === 0
    },
    {interval: 2_000, deadline, signal},
  )
  return left.map((pod) => ({pod: podText(pod), why: waiting.get(podText(pod)) ?? 'it has not ended yet'}))
}

/** The interval at which `kubectl drain` asks again, in milliseconds. */
const RETRY_MS = 5_000

export function podText({namespace, name}: NodePod): string {
  return `${namespace}/${name}`
}
