import type {KubernetesObject} from '../../cluster/cluster.ts'
import {releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'

/** Keeps the claims that helm would delete with their data, because a revision has them no more. Throws `KK_FORBIDDEN`. */
export async function keepClaims(
  {action, cluster, controls}: Execution,
  dropped: readonly KubernetesObject[],
): Promise<void> {
  for (const {metadata} of dropped) {
    const namespace = metadata.namespace ?? releaseNamespace(action.release)
    if (await cluster.keepClaim(namespace, metadata.name))
      controls.onProgress('helm', `PersistentVolumeClaim/${metadata.name} stays, with its data`)
  }
}
