import type {KubernetesObject} from '../../cluster/cluster.ts'
import {WITH} from '../removal/objects.ts'

/** The objects of one manifest that another does not have, each once. `namespace` is that of the release. */
export function droppedObjects(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  namespace: string,
): readonly KubernetesObject[] {
  const key = ({kind, metadata}: KubernetesObject) =>
    `${kind}/${metadata.namespace ?? namespace}/${metadata.name}`
  const staying = new Set(after.map(key))
  const dropped = before.filter((object) => !staying.has(key(object)))
  return [...new Map(dropped.map((object) => [key(object), object])).values()]
}

/** Whether an object takes more with it than itself: data, all that is in it, all objects of a kind. */
export function isHolder({kind}: Pick<KubernetesObject, 'kind'>): boolean {
  return Object.hasOwn(WITH, kind)
}

/** Those of them that helm would delete on the way from one to the other with more than themselves, StatefulSets included. */
export function droppedHolders(...manifests: Parameters<typeof droppedObjects>): readonly KubernetesObject[] {
  return droppedObjects(...manifests).filter((object) => isHolder(object) || object.kind === 'StatefulSet')
}
