import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {DAEMON_SETS, PODS, readObject, requestText, resourcePath} from '../api/resources.ts'
import {selector} from '../dependencies/dependency.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {objectName} from '../manifest/manifest.ts'
import type {DaemonSet} from './kinds/daemon-set.ts'
import {findCondition, type Pod} from './kinds/observed.ts'
import {matchesSelector} from './kinds/selector.ts'
import {isRolledByNode, type NodeRoll} from './node-roll.ts'

/**
 * Returns the progress of those objects that are rolled node by node; objects that do not exist are omitted.
 */
export async function readNodeRolls(
  client: ApiClient,
  releaseNamespace: string,
  objects: readonly KubernetesObject[],
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
    rolls.push(nodeRoll(set, items))
  }
  return rolls
}

/**
 * The API server counts the templates of a DaemonSet; its controller labels each pod with the number
 * (util/daemonset_util.go).
 */
const TEMPLATE_ANNOTATION = 'deprecated.daemonset.template.generation'
const POD_TEMPLATE_LABEL = 'pod-template-generation'

/** Returns the progress of a DaemonSet by the pods of its namespace; pure. */
export function nodeRoll(set: DaemonSet, namespacePods: readonly Pod[]): NodeRoll {
  const {annotations, generation = 0, name, namespace = ''} = set.metadata
  const {
    observedGeneration = 0,
    desiredNumberScheduled: nodes = 0,
    updatedNumberScheduled: updated = 0,
  } = set.status ?? {}
  const isSeen = observedGeneration >= generation
  const pods = namespacePods.filter((pod) => matchesSelector(set.spec?.selector, pod))
  const remaining = pods.filter(({metadata}) => metadata.deletionTimestamp === undefined)
  const isNew = ({metadata}: Pod) =>
    metadata.labels?.[POD_TEMPLATE_LABEL] === annotations?.[TEMPLATE_ANNOTATION]
  // An older template that is applied again counts as the newest for the controller, whatever its number.
  const outdated = isSeen && updated >= nodes ? [] : remaining.filter((pod) => !isNew(pod))
  const current = outdated.length === 0 ? remaining : remaining.filter(isNew)
  return {
    set: objectName({kind: 'DaemonSet', metadata: {name}}),
    namespace,
    nodes,
    ready: current.filter(isReady).length,
    isSettled: isSeen && pods.length === remaining.length && pods.length >= nodes && current.every(isReady),
    outdated: outdated
      .toSorted(byNeed)
      .map(({metadata: {name, uid = ''}}) => ({apiVersion: 'v1', kind: 'Pod', namespace, name, uid})),
  }
}

function isReady(pod: Pod): boolean {
  return findCondition(pod, 'Ready')?.status === 'True'
}

/** Pods that are not ready come first, because their deletion loses no service; then by their nodes. */
function byNeed(one: Pod, other: Pod): number {
  const needs = Number(isReady(one)) - Number(isReady(other))
  return needs || (one.spec?.nodeName ?? '').localeCompare(other.spec?.nodeName ?? '')
}
