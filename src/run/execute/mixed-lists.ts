import {repeatsMergeKeys} from '../../kubernetes/dry-run/client-side-merge.ts'
import {withoutHooks} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectKey, objectName, parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import {withHelmMarks} from '../../plan/leftovers/ownership.ts'
import {releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'

/**
 * Returns the objects in which helm mixes up list items in a client-side update, such as a port that gets UDP
 * in addition to TCP: those with such lists now or in the last revision. Empty for a new release.
 */
export function mixedLists(
  objects: readonly KubernetesObject[],
  last: Pick<StoredRelease, 'release' | 'manifest' | 'applyMethod'> | undefined,
): readonly KubernetesObject[] {
  if (!last || last.applyMethod === 'ssa') return []
  const namespace = releaseNamespace(last.release)
  const previous = parseManifest(last.manifest).filter((object) => repeatsMergeKeys(object))
  const previousKeys = new Set(previous.map((object) => objectKey(object, namespace)))
  return withoutHooks(objects).filter(
    (object) => repeatsMergeKeys(object) || previousKeys.has(objectKey(object, namespace)),
  )
}

/** Writes the lists of these objects as in the manifest if helm has not. */
export async function writeLists(
  {action: {release}, cluster, controls}: Pick<Execution, 'action' | 'cluster' | 'controls'>,
  mixed: readonly KubernetesObject[],
): Promise<void> {
  if (mixed.length === 0) return
  const objects = mixed.map((object) => withHelmMarks(object, release))
  await cluster.live.correct({namespace: releaseNamespace(release), objects, method: 'client-side'})
  controls.onProgress('helm', `corrected lists that helm mixes up: ${mixed.map(objectName).join(', ')}`)
}
