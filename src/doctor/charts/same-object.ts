import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectKey, type RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/** Returns the identity of an object on a cluster: its group, kind, namespace and name. */
export function identity(object: KubernetesObject, release: ReleaseId): string {
  return objectKey(object, releaseNamespace(release))
}

/** Returns pairs of the objects that two renders of a release have in common, in the order of the first. */
export function pairObjects(
  one: readonly RenderedObject[],
  other: readonly RenderedObject[],
  release: ReleaseId,
): readonly (readonly [RenderedObject, RenderedObject])[] {
  const byIdentity = new Map(other.map((each) => [identity(each.object, release), each]))
  return one.flatMap((each) => {
    const same = byIdentity.get(identity(each.object, release))
    return same ? [[each, same] as const] : []
  })
}
