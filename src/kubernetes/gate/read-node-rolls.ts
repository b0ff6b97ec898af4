import {scaledPods} from '../../base/allowance.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {DAEMON_SETS, PODS, readObject, requestText, resourcePath} from '../api/resources.ts'
import {selector} from '../dependencies/dependency.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {objectName} from '../manifest/manifest.ts'
import {type DaemonSet, findCondition, isReady, type Node, type Nodes, type Pod} from './kinds/observed.ts'
import {isPodOf} from './kinds/selector.ts'
import {countedNodes, newestTemplate, stragglersOf} from './left-behind.ts'
import {isRolledByNode, maxUnavailable, type NodeRoll} from './node-roll.ts'
import {awayNode, nodeOf} from './nodes.ts'

interface RollsOptions {
  /** The namespace of the release. */
  readonly namespace: string
  readonly objects: readonly KubernetesObject[]
  /** Returns the nodes of the cluster; undefined if they may not be read. */
  readonly nodes: () => Promise<Nodes | undefined>
}

/**
 * Returns the progress of those objects that are rolled node by node; objects that do not exist are omitted.
 */
export async function readNodeRolls(
  client: ApiClient,
  {namespace, objects, nodes}: RollsOptions,
): Promise<readonly NodeRoll[]> {
  const sets = await readSets(client, namespace, objects.filter(isRolledByNode))
  return Promise.all(
    sets.map(async ({set, pods}) => nodeRoll(set, pods, {nodes: await nodes(), now: client.now()})),
  )
}

/**
 * Returns the progress of those DaemonSets among the objects whose rolling update nodes that are away hold
 * up. Costs nothing while all nodes are ready.
 */
export async function readHeldRolls(
  client: ApiClient,
  {namespace, objects, nodes}: RollsOptions,
): Promise<readonly NodeRoll[]> {
  const daemonSets = objects.filter(({kind}) => kind === DAEMON_SETS.kind)
  const known = daemonSets.length === 0 ? undefined : await nodes()
  const areReady = [...(known?.values() ?? [])].every((node) => awayNode(node)?.reason !== 'NotReady')
  if (areReady) return []
  const sets = await readSets(client, namespace, daemonSets)
  return sets.flatMap(({set, pods}) => heldRoll(set, pods, {nodes: known, now: client.now()}) ?? [])
}

interface SetWithPods {
  readonly set: DaemonSet
  /** The pods that its selector matches. */
  readonly pods: readonly Pod[]
}

/** Reads DaemonSets with their pods; those that do not exist are omitted. */
async function readSets(
  client: ApiClient,
  releaseNamespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly SetWithPods[]> {
  const sets: SetWithPods[] = []
  for (const {metadata} of objects) {
    const {name, namespace = releaseNamespace} = metadata
    const set = await readObject<DaemonSet>(client, DAEMON_SETS, {namespace, name})
    if (!set) continue
    const {items} = await listAll<Pod>(client, {
      path: resourcePath(PODS, namespace),
      query: {labelSelector: selector(set.spec?.selector?.matchLabels ?? {})},
      summary: requestText('list', PODS, namespace),
    })
    sets.push({set, pods: items})
  }
  return sets
}

/** The nodes of a cluster, and the time by its clock, in milliseconds since the epoch. */
interface ClusterNodes {
  readonly nodes?: Nodes | undefined
  readonly now: number
}

/**
 * Returns the progress of a DaemonSet if nodes that are not ready hold its rolling update up, else undefined;
 * pure. The controller counts them as unavailable: while they are as many as `maxUnavailable`, it replaces no
 * available pod anywhere (Kubernetes 1.36: daemon/update.go). It does not with `maxSurge`.
 */
export function heldRoll(
  set: DaemonSet,
  namespacePods: readonly Pod[],
  {nodes: known, now}: ClusterNodes,
): NodeRoll | undefined {
  const {type = 'RollingUpdate', rollingUpdate: {maxUnavailable = 1, maxSurge = 0} = {}} =
    set.spec?.updateStrategy ?? {}
  if (type !== 'RollingUpdate' || Number.parseInt(String(maxSurge), 10) > 0) return undefined
  const wanted = set.status?.desiredNumberScheduled ?? 0
  const most = Math.max(1, scaledPods(maxUnavailable, wanted, Math.ceil))
  const pods = namespacePods.filter((pod) => isPodOf(set, pod))
  const nodes = known && new Map([...known].map(([name, node]) => [name, asUncordoned(node)]))
  const {left} = stragglersOf(set, pods, {nodes, now})
  const unavailable = new Set(left.filter(({isReady}) => !isReady).map(({away}) => away.node))
  if (unavailable.size < most) return undefined
  return nodeRoll(set, pods, {nodes, now}, most)
}

/** A node as the controller sees it, which replaces pods on cordoned nodes, too. */
function asUncordoned({metadata: {deletionTimestamp: _, ...metadata}, spec, ...node}: Node): Node {
  return {...node, metadata, spec: {...spec, unschedulable: false}}
}

/**
 * Returns the progress of a DaemonSet by the pods of its namespace, and by the nodes; pure. `most` nodes may
 * be without a ready pod; by default as many as its annotation allows.
 */
export function nodeRoll(
  set: DaemonSet,
  namespacePods: readonly Pod[],
  cluster: ClusterNodes,
  most?: number,
): NodeRoll {
  const {generation = 0, name, namespace = ''} = set.metadata
  const {
    observedGeneration = 0,
    desiredNumberScheduled = 0,
    updatedNumberScheduled: updated = 0,
  } = set.status ?? {}
  const isSeen = observedGeneration >= generation
  const minReadyMs = (set.spec?.minReadySeconds ?? 0) * 1_000
  const all = namespacePods.filter((pod) => isPodOf(set, pod))
  const stragglers = stragglersOf(set, all, cluster)
  const left = new Set(stragglers.left.map(({pod}) => pod))
  // A pod of a node that does not respond never ends.
  const held = new Set(stragglers.awaited.map(({pod}) => pod))
  const pods = all.filter((pod) => !left.has(pod))
  const nodes = desiredNumberScheduled - countedNodes(stragglers.left)
  const remaining = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && !held.has(pod))
  const isNew = newestTemplate(set, all)
  // An older template that is applied again counts as the newest for the controller, whatever its number.
  const outdated = isSeen && updated >= desiredNumberScheduled ? [] : remaining.filter((pod) => !isNew(pod))
  const current = outdated.length === 0 ? remaining : remaining.filter(isNew)
  const isServing = (pod: Pod) => isReady(pod) && readySince(pod) + minReadyMs <= cluster.now
  const pending = pods.filter((pod) => !remaining.includes(pod) || (current.includes(pod) && !isServing(pod)))
  const missing = Math.max(0, nodes - pods.length)
  return {
    set: objectName({kind: 'DaemonSet', metadata: {name}}),
    namespace,
    nodes,
    ready: current.filter(isServing).length,
    isSettled: isSeen && pending.length + missing === 0,
    deletable: isSeen ? Math.max(0, (most ?? maxUnavailable(set, nodes)) - pending.length - missing) : 0,
    awaited: pending.map((pod) => nodeOf(pod) ?? '').toSorted(),
    outdated: outdated.toSorted(byNeed).map((pod) => {
      const {name, uid = ''} = pod.metadata
      return {apiVersion: 'v1', kind: 'Pod', namespace, name, uid, node: nodeOf(pod) ?? ''}
    }),
  }
}

/** Returns since when a pod is ready, in milliseconds since the epoch; 0 if it does not say. */
function readySince(pod: Pod): number {
  const {lastTransitionTime} = (findCondition(pod, 'Ready') ?? {}) as {readonly lastTransitionTime?: string}
  return lastTransitionTime === undefined ? 0 : Date.parse(lastTransitionTime)
}

/** Pods that are not ready come first, because their deletion loses no service; then by their nodes. */
function byNeed(one: Pod, other: Pod): number {
  const needs = Number(isReady(one)) - Number(isReady(other))
  return needs || (nodeOf(one) ?? '').localeCompare(nodeOf(other) ?? '')
}
