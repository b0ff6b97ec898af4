import type {Cluster, KubernetesObject} from '../../cluster/cluster.ts'
import {droppedObjects} from '../../plan/leftovers/dropped.ts'
import {inTheWay} from '../../plan/rollback/refusals.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

interface Return {
  readonly release: ReleaseId
  /** The manifests of the last revision, and of the one that is to be returned to; without hooks. */
  readonly last: readonly KubernetesObject[]
  readonly target: readonly KubernetesObject[]
}

/**
 * Throws `KK_IN_THE_WAY` for objects that exist and that the last revision of a release has no more: helm knows nothing of
 * them and gives up half way (Helm 4.2: client.go update, "original object … not found"). One that may not be read is left
 * to helm.
 */
export async function expectFreeWay(
  cluster: Pick<Cluster, 'present'>,
  returns: readonly Return[],
): Promise<void> {
  const found = await Promise.all(
    returns.map(async ({release, last, target}) => {
      const again = droppedObjects(target, last, releaseNamespace(release))
      const present = await cluster.present(releaseNamespace(release), again)
      const there = present.filter(({live, isGoing}) => live !== undefined && !isGoing)
      return {release, objects: there.map(({object}) => object)}
    }),
  )
  const blocked = found.filter(({objects}) => objects.length > 0)
  if (blocked.length > 0) throw inTheWay(blocked)
}
