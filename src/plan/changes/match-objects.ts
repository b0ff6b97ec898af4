import {isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'

/** An object on the two sides of a diff; at least one side is defined. */
export interface ObjectPair {
  /** The name, such as `apps/v1 Deployment openstack/keystone-api`. */
  readonly name: string
  readonly before: KubernetesObject | undefined
  readonly after: KubernetesObject | undefined
}

/**
 * Pairs objects of equal version, kind, namespace and name, in any order: first the objects of `after`, then those that
 * are gone. An object without a namespace is in that of the release. One that becomes a hook is on both lists: helm deletes
 * it, and makes another.
 */
export function matchObjects(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  namespace: string,
): readonly ObjectPair[] {
  const name = (object: KubernetesObject) => objectName(object, namespace)
  const earlier = new Map(before.map((object) => [name(object), object]))
  const later = new Map(after.map((object) => [name(object), object]))
  const isSame = (one: KubernetesObject, other: KubernetesObject) => isHook(one) || !isHook(other)
  const earlierOf = (object: KubernetesObject) => {
    const found = earlier.get(name(object))
    return found && isSame(found, object) ? found : undefined
  }
  const staysOf = (object: KubernetesObject) => {
    const found = later.get(name(object))
    return found !== undefined && isSame(object, found)
  }
  return [
    ...after.map((object) => ({name: name(object), before: earlierOf(object), after: object})),
    ...before
      .filter((object) => !staysOf(object))
      .map((object) => ({name: name(object), before: object, after: undefined})),
  ]
}

function objectName({apiVersion, kind, metadata}: KubernetesObject, namespace: string): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? namespace}/${metadata.name}`
}
