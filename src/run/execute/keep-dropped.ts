import {KkError} from '../../base/errors.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import {isHolder} from '../../plan/leftovers/dropped.ts'
import {CASCADE_TEXT, claimsOfSets, takesClaims} from '../../plan/removal/objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'

/**
 * Annotates objects that helm must keep: objects that the new revision no longer contains, if their deletion
 * would delete further objects, or if another release also contains them. Throws as `expectClaimsStay`, and
 * `KK_FORBIDDEN`.
 */
export async function keepDropped(
  {action: {release}, cluster, controls}: Pick<Execution, 'action' | 'cluster' | 'controls'>,
  dropped: readonly KubernetesObject[],
  shared: readonly KubernetesObject[] = [],
): Promise<void> {
  await expectClaimsStay(cluster, release, dropped)
  for (const object of dropped.filter(isHolder)) {
    if (await cluster.live.keep(releaseNamespace(release), object))
      controls.onProgress('helm', `${objectName(object)} stays, ${CASCADE_TEXT[object.kind]}`)
  }
  for (const object of shared) {
    if (await cluster.live.keep(releaseNamespace(release), object))
      controls.onProgress('helm', `${objectName(object)} stays: another release also has it`)
  }
}

/**
 * Throws `KK_UNCONFIRMED` for claims that Kubernetes would delete, by their retention policy, with a
 * StatefulSet that a revision no longer contains: the user has not confirmed them by name.
 */
export async function expectClaimsStay(
  cluster: {readonly live: LiveObjects},
  release: ReleaseId,
  dropped: readonly KubernetesObject[],
): Promise<void> {
  const namespace = releaseNamespace(release)
  for (const set of dropped.filter(takesClaims)) {
    const live = await cluster.live.claims(set.metadata.namespace ?? namespace)
    const names = claimsOfSets([set], live, namespace).flatMap(({claim, isDeleted}) =>
      isDeleted ? [claim.name] : [],
    )
    if (names.length === 0) continue
    throw new KkError(
      'KK_UNCONFIRMED',
      `${release}: ${objectName(set)} would be deleted, and with it, by its retention policy, its claims with their data: ${names.join(', ')}`,
      {
        hint: 'to keep them, deploy it with persistentVolumeClaimRetentionPolicy.whenDeleted: Retain first; to delete them, remove the release with --delete-data and each name',
      },
    )
  }
}
