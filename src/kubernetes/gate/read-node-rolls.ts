import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {DAEMON_SETS, PODS, readObject, requestText, resourcePath} from '../api/resources.ts'
import {selector} from '../dependencies/dependency.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {objectName} from '../manifest/manifest.ts'
import {type DaemonSet, isReady, type Nodes, type Pod} from './kinds/observed.ts'
import {isPodOf} from './kinds/selector.ts'
import {countedNodes, newestTemplate, stragglersOf} from './left-behind.ts'
import {isRolledByNode, maxUnavailable, type NodeRoll} from './node-roll.ts'
import {nodeOf} from './nodes.ts'

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
  {namespace: releaseNamespace, objects, nodes}: RollsOptions,
): Promise<readonly NodeRoll[]> {
  const rolls: NodeRoll[] = []
  for (const {metadata} of objects.filter(isRolledByNode)) {
    const {name, namespace = releaseNamespace} = metadata
    const set = await readObject<DaemonSet>(client, DAEMON_SETS, {namespace, name})
    if (!set) continue
    const {items} = await listAll<Pod>(client, {
      path: resourcePath(PODS, namespace),
      query: {labelSelector: selector(set.spec?.selector?.matchLabels ?? {})},
      summary: requestText('list', PODS, namespace),
    })
    rolls.push(nodeRoll(set, items, {nodes: await nodes(), now: client.now()}))
  }
  return rolls
}

/** Returns the progress of a DaemonSet by the pods of its namespace, and by the nodes; pure. */
export function nodeRoll(
  set: DaemonSet,
  namespacePods: readonly Pod[],
  cluster: {readonly nodes?: Nodes | undefined; readonly now: number},
): NodeRoll {
  const {generation = 0, name, namespace = ''} = set.metadata
  const {
    observedGeneration = 0,
    desiredNumberScheduled = 0,
    updatedNumberScheduled: updated = 0,
  } = set.status ?? {}
  const isSeen = observedGeneration >= generation
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
  const pending = pods.filter((pod) => !remaining.includes(pod) || (current.includes(pod) && !isReady(pod)))
  const missing = Math.max(0, nodes - pods.length)
  return {
    set: objectName({kind: 'DaemonSet', metadata: {name}}),
    namespace,
    nodes,
    ready: current.filter(isReady).length,
    isSettled: isSeen && pending.length + missing === 0,
    deletable: isSeen ? Math.max(0, maxUnavailable(set, nodes) - pending.length - missing) : 0,
    awaited: pending.map((pod) => nodeOf(pod) ?? '').toSorted(),
    outdated: outdated.toSorted(byNeed).map((pod) => {
      const {name, uid = ''} = pod.metadata
      return {apiVersion: 'v1', kind: 'Pod', namespace, name, uid, node: nodeOf(pod) ?? ''}
    }),
  }
}

/** Pods that are not ready come first, because their deletion loses no service; then by their nodes. */
function byNeed(one: Pod, other: Pod): number {
  const needs = Number(isReady(one)) - Number(isReady(other))
  return needs || (nodeOf(one) ?? '').localeCompare(nodeOf(other) ?? '')
}
