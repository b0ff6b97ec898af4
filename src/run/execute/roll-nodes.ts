import {describeCause} from '../../kubernetes/gate/cause.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'
import {deleteNoted} from './prune.ts'

const POLL_INTERVAL_MS = 1_000

/**
 * Replaces the pods of DaemonSets that request it (`kk.openstack.org/roll`) node by node: a pod is deleted
 * once all previously replaced pods are ready. The state is on the cluster, so a later run continues after an
 * interruption. Resolves with what remains when interrupted or at the deadline.
 */
export async function rollNodes(
  execution: Execution,
  objects: readonly KubernetesObject[],
): Promise<Cause | undefined> {
  const {action, cluster, clock, controls, deadline} = execution
  let replaced = 0
  let lastMessage = ''
  for (;;) {
    const rolls = await cluster.health.nodeRolls(releaseNamespace(action.release), objects)
    const roll = rolls.find(({outdated, isSettled}) => outdated.length > 0 || (replaced > 0 && !isSettled))
    if (!roll) return undefined
    const {set, namespace, nodes, ready, outdated, isSettled} = roll
    const [next] = outdated
    const message = `${ready} of ${nodes} nodes have its new pod`
    const behind = {object: set, namespace, message}
    if (message !== lastMessage) controls.onProgress('gate', describeCause(behind), [behind])
    lastMessage = message
    if (clock.now() >= deadline) return behind
    if (isSettled && next) {
      await deleteNoted(execution, next)
      replaced += 1
    }
    if (!(await clock.wait(POLL_INTERVAL_MS, controls.signal))) return behind
  }
}
