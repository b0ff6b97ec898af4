import type {LeftBehind} from './health.ts'
import {type DaemonSet, isReady, type Nodes, type Pod} from './kinds/observed.ts'
import {type AwayNode, awayNode, endOfGrace, isOutage, nodeOf, toleratesNode} from './nodes.ts'

/**
 * The API server counts the templates of a DaemonSet; its controller labels each pod with the number
 * (util/daemonset_util.go).
 */
const TEMPLATE_ANNOTATION = 'deprecated.daemonset.template.generation'
const POD_TEMPLATE_LABEL = 'pod-template-generation'
const HASH_LABEL = 'controller-revision-hash'

/** A pod of a DaemonSet on a node that is away, and that is not a ready one of the newest template. */
export interface Straggler {
  readonly pod: Pod
  readonly away: AwayNode
  readonly isCurrent: boolean
  readonly isReady: boolean
  /** Whether the DaemonSet counts the node among those that should have a pod. */
  readonly isCounted: boolean
}

/** The pods of a DaemonSet on nodes that are away. */
export interface Stragglers {
  /** Those that are not awaited. */
  readonly left: readonly Straggler[]
  /** Those that are awaited: their nodes have just become not ready, or too many are. */
  readonly awaited: readonly Straggler[]
  /** The time at which the first of them is no longer awaited; undefined if none ever is. */
  readonly until?: number
}

const NONE: Stragglers = {left: [], awaited: []}

/** Returns the pods of a DaemonSet on nodes that are away; none if the nodes are not known. Pure. */
export function stragglersOf(
  set: DaemonSet,
  pods: readonly Pod[],
  {nodes, now}: {readonly nodes?: Nodes | undefined; readonly now: number},
): Stragglers {
  const placed = pods.flatMap((pod) => {
    const node = nodes?.get(nodeOf(pod) ?? '')
    return node ? [{pod, node, away: awayNode(node)}] : []
  })
  const away = new Map(placed.flatMap((one) => (one.away ? [[one.away.node, one.away] as const] : [])))
  if (away.size === 0) return NONE
  const total = new Set(placed.map(({node}) => node.metadata.name)).size
  const present = placed.filter((one) => !one.away).map(({pod}) => pod)
  const isNewest = newestTemplate(set, pods, present)
  const tolerating = new Set(placed.filter(({pod, node}) => toleratesNode(pod, node)).map(({pod}) => pod))
  const untolerated = placed.filter(({pod}) => !tolerating.has(pod))
  const stragglers = withStillCounted(
    placed.flatMap(({pod, away}): readonly Straggler[] => {
      const isCurrent = isNewest(pod)
      if (!away || (isCurrent && isReady(pod))) return []
      return [{pod, away, isCurrent, isReady: isReady(pod), isCounted: tolerating.has(pod)}]
    }),
    new Set(untolerated.map(({node}) => node.metadata.name)).size -
      (set.status?.numberMisscheduled ?? Infinity),
  )
  // A node that cannot be reached is missed; on one that is cordoned the pods are replaced as on others.
  if (isOutage([...away.values()], total))
    return {left: [], awaited: stragglers.filter(({away: {reason}}) => reason === 'NotReady')}
  const ends = (straggler: Straggler) => endOfGrace(straggler.away) ?? 0
  const awaited = stragglers.filter((each) => ends(each) > now)
  const until = Math.min(...awaited.map(ends))
  const left = stragglers.filter((each) => ends(each) <= now)
  return {left, awaited, ...(awaited.length > 0 && {until})}
}

/**
 * Marks `count` nodes as counted, though the pods there do not tolerate them: the DaemonSet controller
 * updates its status when a pod changes, not when a node is tainted (Kubernetes 1.36: daemon_controller.go
 * syncNodeUpdate), and a pod that was not ready when its node died does not change. Such a pod is most likely
 * of the newest template.
 */
function withStillCounted(stragglers: readonly Straggler[], count: number): readonly Straggler[] {
  if (count <= 0) return stragglers
  const nodes = stragglers
    .filter(({isCounted}) => !isCounted)
    .toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent))
    .map(({away}) => away.node)
  const still = new Set([...new Set(nodes)].slice(0, count))
  return stragglers.map((each) => (still.has(each.away.node) ? {...each, isCounted: true} : each))
}

/** Returns the number of their nodes that the DaemonSet counts among those that should have a pod. */
export function countedNodes(stragglers: readonly Straggler[]): number {
  return new Set(stragglers.filter(({isCounted}) => isCounted).map(({away}) => away.node)).size
}

/** Returns pods that are left behind for display, in the order of their nodes. */
export function describeStragglers(stragglers: readonly Straggler[]): readonly LeftBehind[] {
  return stragglers
    .map(({pod, away, isCurrent}): LeftBehind => {
      const revision = pod.metadata.labels?.[HASH_LABEL]
      return {...away, pod: pod.metadata.name, ...(revision && {revision}), isCurrent}
    })
    .toSorted((one, other) => one.node.localeCompare(other.node))
}

/**
 * Returns whether a pod is of the newest template. A template that is applied again has the hash of its
 * first time, and the pods of that time are of the newest template, whatever their number.
 */
export function newestTemplate(
  {metadata: {annotations}, status: {desiredNumberScheduled = 0, updatedNumberScheduled = 0} = {}}: DaemonSet,
  pods: readonly Pod[],
  present: readonly Pod[] = pods,
): (pod: Pod) => boolean {
  const number = annotations?.[TEMPLATE_ANNOTATION]
  const hasNumber = ({metadata: {labels}}: Pod) =>
    number !== undefined && labels?.[POD_TEMPLATE_LABEL] === number
  const areAllUpdated = desiredNumberScheduled > 0 && updatedNumberScheduled >= desiredNumberScheduled
  const sample = pods.find(hasNumber) ?? (areAllUpdated ? present[0] : undefined)
  const hash = sample?.metadata.labels?.[HASH_LABEL]
  return (pod) => hasNumber(pod) || (hash !== undefined && pod.metadata.labels?.[HASH_LABEL] === hash)
}
