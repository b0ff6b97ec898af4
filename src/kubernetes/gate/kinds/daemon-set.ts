import {allowedPods} from '../../../base/allowance.ts'
import type {PassedHealth} from '../health.ts'
import {
  countedNodes,
  describeStragglers,
  newestTemplate,
  type Straggler,
  type Stragglers,
  stragglersOf,
} from '../left-behind.ts'
import {nameNodes, nodeOf} from '../nodes.ts'
import {claimsOf} from './claim.ts'
import {ALLOWED, combineHealth, HEALTHY, type HealthOf, withNote, workloadHealth} from './health.ts'
import type {DaemonSet, Pod} from './observed.ts'
import {isPodOf} from './selector.ts'

/**
 * Returns the health of a DaemonSet: a pod of the current template must be available on every node that
 * should have one (kubectl 1.36: rollout_status.go), except on nodes that are away. It is partial while pods
 * that no controller replaces are of an older template, and while nodes are left behind.
 */
export const daemonSetHealth: HealthOf<DaemonSet> = (set, namespaceObjects, {unavailable}) => {
  const pods = namespaceObjects.pods.filter((pod) => isPodOf(set, pod))
  const stragglers = stragglersOf(set, pods, namespaceObjects)
  const progress = progressOf(set, stragglers)
  const allowed = allowedPods(unavailable, progress.wanted)
  const leftPods = new Set(stragglers.left.map(({pod}) => pod))
  const claims = progress.wanted === 0 ? [] : claimsOf(set.spec?.template?.spec)
  const shortfall = missing(progress, allowed)
  const unread = namespaceObjects.nodes ? '' : NODES_UNREAD
  const health = workloadHealth(
    set,
    {...namespaceObjects, pods: pods.filter((pod) => !leftPods.has(pod))},
    {
      claims,
      allowed,
      missing: () => (shortfall === undefined ? awaitedNodes(stragglers) : `${shortfall}${unread}`),
      done: combineHealth(passedParts(set, progress, {...stragglers, pods})) as PassedHealth,
    },
  )
  const {until} = stragglers
  return health.state === 'waiting' && until !== undefined
    ? {...health, until: Math.min(until, health.until ?? Infinity)}
    : health
}

const NODES_UNREAD = '; the nodes may not be read, so each is awaited'

/** The pods of a DaemonSet without those that are left behind. */
interface Progress {
  readonly wanted: number
  readonly updated: number
  readonly available: number
  readonly isOnDelete: boolean
}

function progressOf({spec, status = {}}: DaemonSet, {left}: Stragglers): Progress {
  const {desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0} = status
  // The controller counts the pods there as well, if they are of the newest template, or available.
  return {
    wanted: desiredNumberScheduled - countedNodes(left),
    updated: updatedNumberScheduled - countedNodes(left.filter(({isCurrent}) => isCurrent)),
    available: numberAvailable - countedNodes(left.filter(({isReady}) => isReady)),
    isOnDelete: spec?.updateStrategy?.type === 'OnDelete',
  }
}

function missing({wanted, updated, available, isOnDelete}: Progress, allowed: number): string | undefined {
  if (!isOnDelete && updated < wanted) return `${Math.max(0, updated)} of ${wanted} pods are updated`
  return available < wanted - allowed
    ? `${Math.max(0, available)} of ${wanted} pods are available`
    : undefined
}

/** Returns what is missing on nodes that the DaemonSet does not count, because they are not ready. */
function awaitedNodes({awaited}: Stragglers): string | undefined {
  if (awaited.length === 0) return undefined
  const names = nodeNames(describeStragglers(awaited).map(({node}) => node))
  return `${names} ${awaited.length === 1 ? 'is' : 'are'} not ready`
}

function passedParts(
  set: DaemonSet & {readonly kind: string},
  {wanted, updated, available}: Progress,
  {left, pods}: Stragglers & {readonly pods: readonly Pod[]},
): readonly PassedHealth[] {
  const parts: PassedHealth[] = [HEALTHY]
  if (wanted === 0 && left.length === 0)
    parts.push(
      withNote('healthy', set, {message: 'no node matches it, so it has no pods', reason: 'NoNodes'}),
    )
  if (updated < wanted)
    parts.push(
      withNote('partial', set, {
        message: `${updated} of ${wanted} pods are of its current version (OnDelete)${oldOn(set, pods)}`,
        reason: 'OnDelete',
      }),
    )
  if (available < wanted)
    parts.push(
      withNote('partial', set, {
        message: `${available} of ${wanted} pods are available${ALLOWED}`,
        reason: 'Unavailable',
      }),
    )
  if (left.length > 0) parts.push(leftBehindHealth(set, left))
  return parts
}

/** Returns the nodes of the pods of older versions, those that are left behind included. */
function oldOn(set: DaemonSet, pods: readonly Pod[]): string {
  const isNewest = newestTemplate(set, pods)
  const old = pods.filter((pod) => !isNewest(pod)).map((pod) => nodeOf(pod) ?? '')
  return old.length === 0 ? '' : `, older ones on ${nodeNames(old.toSorted())}`
}

function leftBehindHealth(
  set: DaemonSet & {readonly kind: string},
  left: readonly Straggler[],
): PassedHealth {
  const leftBehind = describeStragglers(left)
  const names = nodeNames(
    leftBehind.map(
      ({node, reason, isCurrent}) => `${node} (${reason}, ${isCurrent ? 'pod not ready' : 'old version'})`,
    ),
  )
  const message = `${names} ${leftBehind.length === 1 ? 'is' : 'are'} left behind`
  return withNote('partial', set, {message, reason: 'NodesLeftBehind', leftBehind})
}

function nodeNames(names: readonly string[]): string {
  return `${names.length === 1 ? 'node' : 'nodes'} ${nameNodes(names)}`
}
