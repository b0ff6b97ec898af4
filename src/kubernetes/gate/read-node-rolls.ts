import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, DAEMON_SETS, PODS, readObject, resourcePath} from '../api/resources.ts'
import {selector} from '../dependencies/dependency.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {objectName} from '../manifest/manifest.ts'
import type {DaemonSet} from './kinds/daemon-set.ts'
import {findCondition, type Pod} from './kinds/observed.ts'
import {matchesSelector} from './kinds/selector.ts'
import {isRolledByNode, type NodeRoll} from './node-roll.ts'

/** Returns how far those of the objects are that are rolled node by node; one that does not exist is left out. */
export async function readNodeRolls(
  client: ApiClient,
  home: string,
  objects: readonly KubernetesObject[],
): Promise<readonly NodeRoll[]> {
  const rolls: NodeRoll[] = []
  for (const {metadata} of objects.filter(isRolledByNode)) {
    const {name, namespace = home} = metadata
    const set = await readObject<DaemonSet>(client, DAEMON_SETS, {namespace, name})
    if (!set) continue
    const {items} = await listAll<Pod>(client, {
      path: resourcePath(PODS, namespace),
      query: {labelSelector: selector(set.spec?.selector?.matchLabels ?? {})},
      asked: asking('list', PODS, namespace),
    })
    rolls.push(nodeRoll(set, items))
  }
  return rolls
}

/** The API server counts the templates of a DaemonSet; its controller writes the number on each pod (util/daemonset_util.go). */
const TEMPLATE = 'deprecated.daemonset.template.generation'
const TEMPLATE_OF_POD = 'pod-template-generation'

/** Returns how far a DaemonSet is, by the pods of its namespace; pure. */
export function nodeRoll(set: DaemonSet, around: readonly Pod[]): NodeRoll {
  const {annotations, generation = 0, name, namespace = ''} = set.metadata
  const {
    observedGeneration = 0,
    desiredNumberScheduled: nodes = 0,
    updatedNumberScheduled: updated = 0,
  } = set.status ?? {}
  const isSeen = observedGeneration >= generation
  const pods = around.filter((pod) => matchesSelector(set.spec?.selector, pod))
  const staying = pods.filter(({metadata}) => metadata.deletionTimestamp === undefined)
  const isNew = ({metadata}: Pod) => metadata.labels?.[TEMPLATE_OF_POD] === annotations?.[TEMPLATE]
  // An older template that came back counts as the newest for its controller, whatever its number.
  const outdated = isSeen && updated >= nodes ? [] : staying.filter((pod) => !isNew(pod))
  const current = outdated.length === 0 ? staying : staying.filter(isNew)
  return {
    set: objectName({kind: 'DaemonSet', metadata: {name}}),
    namespace,
    nodes,
    ready: current.filter(isReady).length,
    isSettled: isSeen && pods.length === staying.length && pods.length >= nodes && current.every(isReady),
    outdated: outdated
      .toSorted(byNeed)
      .map(({metadata: {name, uid = ''}}) => ({apiVersion: 'v1', kind: 'Pod', namespace, name, uid})),
  }
}

function isReady(pod: Pod): boolean {
  return findCondition(pod, 'Ready')?.status === 'True'
}

/** Those that do not serve come first, for nothing is lost with them; then by their nodes. */
function byNeed(one: Pod, other: Pod): number {
  const needs = Number(isReady(one)) - Number(isReady(other))
  return needs || (one.spec?.nodeName ?? '').localeCompare(other.spec?.nodeName ?? '')
}
