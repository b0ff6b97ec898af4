import type * as core from 'kubernetes-types/core/v1.js'
import type {DeepReadonly} from '../api/served.ts'
import type {Taint} from '../diagnosis/diagnosis.ts'
import {findCondition, type Node, type Nodes, type Observed, type Pod} from './kinds/observed.ts'

export type Toleration = DeepReadonly<core.Toleration>

/** The maximum number of nodes that a message names. */
const MAX_NAMED = 5

/** Returns the first nodes and how many are left: `a, b, c, d, e, 3 more`. */
export function nameNodes(nodes: readonly string[]): string {
  const rest = nodes.length - MAX_NAMED
  return [...nodes.slice(0, MAX_NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

export function nodesByName(nodes: readonly Observed[]): Nodes {
  return new Map(nodes.map((node) => [node.metadata.name, node]))
}

/** Why the pods of a node are not awaited. */
export interface AwayNode {
  readonly node: string
  readonly reason: 'NotReady' | 'Cordoned' | 'BeingDeleted'
  /** The time since when, as Kubernetes writes it; absent if it is not recorded. */
  readonly since?: string
}

/**
 * The time for which a node must be not ready before its pods are no longer awaited, in milliseconds: as long
 * as Kubernetes waits for its Lease (`--node-monitor-grace-period`, 40 s before Kubernetes 1.32).
 */
export const NOT_READY_GRACE_MS = 40_000

/** Returns why the pods of a node are not awaited; undefined for a node that is ready for pods. */
export function awayNode({metadata, spec, status}: Node): AwayNode | undefined {
  const {name: node, deletionTimestamp} = metadata
  if (deletionTimestamp) return {node, reason: 'BeingDeleted', since: deletionTimestamp}
  const ready = findCondition({...(status && {status})}, 'Ready') as core.NodeCondition | undefined
  if (ready?.status !== 'True') {
    const since = ready?.lastTransitionTime ?? metadata.creationTimestamp
    return {node, reason: 'NotReady', ...(since && {since})}
  }
  if (!spec?.unschedulable) return undefined
  const taint = spec.taints?.find(({key}) => key === 'node.kubernetes.io/unschedulable')
  return {node, reason: 'Cordoned', ...(taint?.timeAdded && {since: taint.timeAdded})}
}

/**
 * Returns the time at which a node that is not ready has been so for the grace period; undefined for others.
 */
export function endOfGrace({reason, since}: AwayNode): number | undefined {
  if (reason !== 'NotReady') return undefined
  return since === undefined ? 0 : Date.parse(since) + NOT_READY_GRACE_MS
}

/**
 * Whether so many of these nodes are away that the cause is not a single node: none is left, or most are not
 * ready, as Kubernetes stops to evict pods then (Kubernetes 1.36: node_lifecycle_controller.go
 * ComputeZoneState, `--unhealthy-zone-threshold`).
 */
export function isOutage(away: readonly AwayNode[], total: number): boolean {
  const notReady = away.filter(({reason}) => reason === 'NotReady').length
  return away.length >= total || (notReady > 2 && notReady / total >= 0.55)
}

/** Returns the nodes whose pods are not awaited, in the order of their names; none in an outage. */
export function leavableNodes(nodes: readonly Node[], now: number): readonly AwayNode[] {
  const away = nodes.map(awayNode).filter((node) => node !== undefined)
  if (isOutage(away, nodes.length)) return []
  return away
    .filter((node) => (endOfGrace(node) ?? 0) <= now)
    .toSorted((one, other) => one.node.localeCompare(other.node))
}

/** Returns the node of a pod, or the one that the pod of a DaemonSet is created for. */
export function nodeOf({spec}: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const fields = terms.flatMap(({matchFields = []}) => matchFields)
  return fields.find(({key}) => key === 'metadata.name')?.values?.[0]
}

/** Whether a node's taints let the pod be created there again, so that its DaemonSet counts the node. */
export function toleratesNode(pod: Pod, {spec}: Node): boolean {
  const {tolerations = []} = pod.spec ?? {}
  const taints = (spec?.taints ?? []).filter(({effect}) => effect !== 'PreferNoSchedule')
  return taints.every((taint) => tolerations.some((each) => tolerates(each, taint)))
}

/** Returns true if a toleration tolerates a taint (Kubernetes 1.36: core/v1 Toleration.ToleratesTaint). */
export function tolerates(
  {key = '', operator = 'Equal', value = '', effect = ''}: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false
  if (key === '') return operator === 'Exists'
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''))
}

/** Returns true if a label matches (Kubernetes 1.36: component-helpers/scheduling/corev1/nodeaffinity). */
export function matchesExpression(
  value: string | undefined,
  {operator, values = []}: DeepReadonly<core.NodeSelectorRequirement>,
): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'NotIn') return value === undefined || !values.includes(value)
  if (value === undefined) return false
  if (operator === 'In') return values.includes(value)
  return operator === 'Gt' ? Number(value) > Number(values[0]) : Number(value) < Number(values[0])
}
