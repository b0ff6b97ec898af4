import {asKkError} from '../../base/errors.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import type {NodeRoll} from '../../kubernetes/gate/node-roll.ts'
import {nameNodes} from '../../kubernetes/gate/nodes.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'
import {deleteNoted} from './prune.ts'

const POLL_INTERVAL_MS = 1_000

/** The end of a roll. */
export interface Rolled {
  /** What remains when interrupted or at the deadline; undefined if no pod is to be replaced. */
  readonly behind?: Cause
  /** The deadline of the gate, in milliseconds since the epoch: each node that is done moves it. */
  readonly deadline: number
}

/**
 * Replaces the pods of DaemonSets that request it (`kk.openstack.org/roll`) node by node: pods are deleted
 * while at most the allowed number of nodes is without a ready pod. The timeout of the release applies to
 * each node.
 * The state is on the cluster, so a later run continues after an interruption.
 */
export async function rollNodes(execution: Execution, objects: readonly KubernetesObject[]): Promise<Rolled> {
  const {action, cluster, clock, controls, nodeTimeoutMs} = execution
  let {deadline} = execution
  let replaced = 0
  let lastMessage = ''
  const least = new Map<string, number>()
  for (;;) {
    const rolls = await cluster.health.nodeRolls(releaseNamespace(action.release), objects)
    const roll = rolls.find(({outdated, isSettled}) => outdated.length > 0 || (replaced > 0 && !isSettled))
    if (!roll) return {deadline}
    const {set, namespace, nodes, ready, outdated, awaited, deletable} = roll
    const message = `${ready} of ${nodes} nodes have its new pod`
    const behind = {object: set, namespace, message}
    if (message !== lastMessage) controls.onProgress('gate', describeCause(behind), [behind])
    lastMessage = message
    const remaining = outdated.length + awaited.length
    if (remaining < (least.get(set) ?? Infinity)) deadline = Math.max(deadline, clock.now() + nodeTimeoutMs)
    least.set(set, Math.min(remaining, least.get(set) ?? Infinity))
    if (clock.now() >= deadline)
      return {deadline, behind: {...behind, message: `${message}${remainder(roll)}`}}
    for (const next of outdated.slice(0, deletable)) {
      await deleteNoted(execution, next)
      replaced += 1
    }
    if (!(await clock.wait(POLL_INTERVAL_MS, controls.signal))) return {deadline, behind}
  }
}

/**
 * Replaces, until the signal is aborted, the pods of DaemonSets whose rolling update nodes that are away hold
 * up: as many at a time as Kubernetes would. Never rejects: a gate beside it decides, and what keeps kk from
 * it is shown once.
 */
export async function rollHeldNodes(
  execution: Execution,
  objects: readonly KubernetesObject[],
  signal: AbortSignal,
): Promise<void> {
  const {action, cluster, clock, controls} = execution
  const shown = new Set<string>()
  do {
    try {
      const rolls = await cluster.health.heldRolls(releaseNamespace(action.release), objects)
      for (const next of rolls.flatMap(({outdated, deletable}) => outdated.slice(0, deletable)))
        if (!signal.aborted) await deleteNoted(execution, next)
    } catch (error) {
      const {message} = asKkError(error)
      if (!shown.has(message)) controls.onProgress('gate', `old pods are not replaced: ${message}`)
      shown.add(message)
    }
  } while (await clock.wait(POLL_INTERVAL_MS, signal))
}

/** Returns the nodes that a roll has not finished. */
function remainder({awaited, outdated}: NodeRoll): string {
  const old = outdated.map(({node}) => node)
  return [
    ...(awaited.length > 0 ? [`; not ready: ${nameNodes(awaited)}`] : []),
    ...(old.length > 0 ? [`; with the old pod, which the next run replaces: ${nameNodes(old)}`] : []),
  ].join('')
}
