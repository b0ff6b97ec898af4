import {releaseNamespace} from '../../release.ts'
import {hookDeletePolicies} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {hookObjects} from '../manifest/manifest.ts'
import type {StoredRelease} from '../records/release-record.ts'
import type {LiveObjects, PresentObject} from './live-objects.ts'

/** The kinds of hooks that run to completion: one that is gone has completed. */
const RUN_TO_COMPLETION: ReadonlySet<string> = new Set(['Job', 'Pod'])

/**
 * Returns the objects that hooks of a revision created permanently, and that do not exist. An upgrade in
 * which an object becomes a hook creates it, then deletes it as an object that the revision does not have.
 */
export async function missingHookObjects(
  live: LiveObjects,
  {release, ranHooks = []}: StoredRelease,
): Promise<readonly KubernetesObject[]> {
  const permanent = hookObjects({hooks: ranHooks}).filter(
    (object) => !RUN_TO_COMPLETION.has(object.kind) && !hookDeletePolicies(object).includes('hook-succeeded'),
  )
  return missingObjects(live, releaseNamespace(release), permanent)
}

/**
 * Returns the objects that do not exist. Objects that may not be read count as existing and, by default, so
 * do objects that are being deleted.
 */
export async function missingObjects(
  live: LiveObjects,
  namespace: string,
  objects: readonly KubernetesObject[],
  doesExist: (object: PresentObject) => boolean = () => true,
): Promise<readonly KubernetesObject[]> {
  if (objects.length === 0) return []
  const present = (await live.present(namespace, objects)).filter(doesExist).map(({object}) => object)
  return objects.filter((object) => !present.includes(object))
}
