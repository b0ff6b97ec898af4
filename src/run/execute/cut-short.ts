import type {KubernetesObject, ReleaseRecord} from '../../cluster/cluster.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {bearsMarkOf, keepReason} from '../../plan/leftovers/ownership.ts'
import {releaseNamespace} from '../../release.ts'
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
  {action, cluster, controls, journal}: Execution,
  before: readonly KubernetesObject[],
  target: readonly KubernetesObject[],
): Promise<void> {
  const {release} = action
  const home = releaseNamespace(release)
  const key = ({kind, metadata}: KubernetesObject) => `${kind}/${metadata.namespace ?? home}/${metadata.name}`
  const staying = new Set(target.map(key))
  const dropped = before.filter((object) => !staying.has(key(object)))
  if (dropped.length === 0) return
  for (const {object, live, isGoing} of await cluster.present(home, dropped)) {
    if (isGoing || !live || !bearsMarkOf(release, live) || keepReason(object, live)) continue
    const {apiVersion, kind, metadata} = object
    const name = `${kind}/${metadata.name}`
    await journal.note({type: 'object-deleting', release, object: name})
    const namespace = metadata.namespace ?? home
    const isDeleted = await cluster.deleteObject({
      ...{apiVersion, kind, namespace, name: metadata.name},
      uid: String(live.uid),
    })
    if (isDeleted) controls.onDeleted(name)
  }
}
