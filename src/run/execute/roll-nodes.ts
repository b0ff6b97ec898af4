import {describeCause} from '../../kubernetes/gate/cause.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'
import {deleteNoted} from './prune.ts'

const LOOK_MILLISECONDS = 1_000

/**
 * Replaces the pods of DaemonSets that ask for it node by node (`kk.openstack.org/roll`): one is deleted when those before it
 * are ready. What is done stands on the cluster, so that whoever comes after an interruption goes on with it. Resolves with what
 * is not done when it is interrupted, or at the deadline.
 */
export async function rollNodes(
  execution: Execution,
  objects: readonly KubernetesObject[],
): Promise<Cause | undefined> {
  const {action, cluster, clock, controls, deadline} = execution
  let replaced = 0
  let told = ''
  for (;;) {
    const rolls = await cluster.health.nodeRolls(releaseNamespace(action.release), objects)
    const roll = rolls.find(({outdated, isSettled}) => outdated.length > 0 || (replaced > 0 && !isSettled))
    if (!roll) return undefined
    const {set, namespace, nodes, ready, outdated, isSettled} = roll
    const [next] = outdated
    const message = `${ready} of ${nodes} nodes have its new pod`
    const behind = {object: set, namespace, message}
    if (message !== told) controls.onProgress('gate', describeCause(behind), [behind])
    told = message
    if (clock.now() >= deadline) return behind
    if (isSettled && next) {
      await deleteNoted(execution, next)
      replaced += 1
    }
    if (!(await clock.wait(LOOK_MILLISECONDS, controls.signal))) return behind
  }
}
