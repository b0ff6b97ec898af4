import {releaseNamespace} from '../../release.ts'
import {hookDeletePolicies} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {hookObjects} from '../manifest/manifest.ts'
import type {StoredRelease} from '../records/release-record.ts'
import type {LiveObjects, PresentObject} from './live-objects.ts'

/** The kinds of hooks that run to their end: one that is gone has done its work. */
const ENDING: ReadonlySet<string> = new Set(['Job', 'Pod'])

/**
 * Returns the objects that hooks of a revision made to last, and that do not exist. An upgrade in which an object becomes a
 * hook makes it, then deletes it as an object that the revision does not have.
 */
export async function goneHooks(
  live: LiveObjects,
  {release, ranHooks = []}: StoredRelease,
): Promise<readonly KubernetesObject[]> {
  const lasting = hookObjects({hooks: ranHooks}).filter(
    (object) => !ENDING.has(object.kind) && !hookDeletePolicies(object).includes('hook-succeeded'),
  )
  return goneAmong(live, releaseNamespace(release), lasting)
}

/** Returns those of the objects that do not exist; one that may not be read, and by default one that is being deleted, does. */
export async function goneAmong(
  live: LiveObjects,
  namespace: string,
  objects: readonly KubernetesObject[],
  doesExist: (object: PresentObject) => boolean = () => true,
): Promise<readonly KubernetesObject[]> {
  if (objects.length === 0) return []
  const present = (await live.present(namespace, objects)).filter(doesExist).map(({object}) => object)
  return objects.filter((object) => !present.includes(object))
}
