import type {KubernetesObject, ReleaseRecord} from '../../cluster/cluster.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {droppedObjects} from '../../plan/leftovers/dropped.ts'
import {leftObject} from '../../plan/leftovers/ownership.ts'
import {releaseNamespace} from '../../release.ts'
import {deleteNoted} from './delete-noted.ts'
import type {Execution} from './execution.ts'

/**
 * The objects of the revision that was deployed when a rollback was cut short. Helm's next rollback compares with the
 * revision that was cut short, and deletes none of them. None where the last revision is deployed.
 */
export async function objectsBeforeCut(
  {action, cluster}: Execution,
  last: ReleaseRecord,
): Promise<readonly KubernetesObject[]> {
  if (last.status === 'deployed') return []
  const {release} = action
  const deployed = (await cluster.revisions(release)).findLast(({status}) => status === 'deployed')
  const stored = deployed && (await cluster.stored(release, deployed.revision))
  return stored ? parseManifest(stored.manifest) : []
}

/**
 * Deletes what the rollback that was cut short would have deleted: objects that the target does not have and that bear
 * helm's mark of the release, but never data, and nothing that helm is told to keep. Each stands in the journal before.
 */
export async function deleteForgotten(
  execution: Execution,
  before: readonly KubernetesObject[],
  target: readonly KubernetesObject[],
): Promise<void> {
  const {release} = execution.action
  const home = releaseNamespace(release)
  const dropped = droppedObjects(before, target, home)
  if (dropped.length === 0) return
  for (const present of await execution.cluster.present(home, dropped)) {
    const left = leftObject(release, present)
    if (left && left.kept === undefined) await deleteNoted(execution, left)
  }
}
