import {withoutHooks} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectKey} from '../../kubernetes/manifest/manifest.ts'
import {dataOfHooks, type HelmVerb} from '../removal/hook-data.ts'
import {CASCADE_TEXT} from '../removal/objects.ts'

/**
 * Returns the objects of one manifest that are not in the other, each once. An object that is a hook in the
 * other revision counts as dropped, because manifests contain no hooks. `namespace` is the namespace of the
 * release.
 */
export function droppedObjects(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  namespace: string,
): readonly KubernetesObject[] {
  const key = ({kind, metadata}: KubernetesObject) =>
    `${kind}/${metadata.namespace ?? namespace}/${metadata.name}`
  const staying = new Set(withoutHooks(after).map(key))
  const dropped = before.filter((object) => !staying.has(key(object)))
  return [...new Map(dropped.map((object) => [key(object), object])).values()]
}

/** Returns true if deleting an object also deletes data, its contents, or all objects of a kind. */
export function isHolder({kind}: Pick<KubernetesObject, 'kind'>): boolean {
  return Object.hasOwn(CASCADE_TEXT, kind)
}

/**
 * Returns the dropped objects whose deletion also deletes other objects or data, and StatefulSets. Helm would
 * delete them in the upgrade from one manifest to the other. Objects that helm deletes as hooks are omitted:
 * nothing keeps them, and `dataOfHooks` returns them for confirmation.
 */
export function droppedHolders(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  {namespace, verb}: {readonly namespace: string; readonly verb: HelmVerb},
): readonly KubernetesObject[] {
  const hooks = new Set(dataOfHooks(after, verb).map((hook) => objectKey(hook, namespace)))
  return droppedObjects(before, after, namespace)
    .filter((object) => isHolder(object) || object.kind === 'StatefulSet')
    .filter((object) => !hooks.has(objectKey(object, namespace)))
}
