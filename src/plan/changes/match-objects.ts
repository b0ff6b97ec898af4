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
 * Pairs objects of equal version, kind, namespace and name, in any order: first the objects of `after`, then
 * those that were removed. An object without a namespace is in the namespace of the release. An object that
 * becomes a hook is in both lists: helm deletes it and creates another one.
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
  const findEarlier = (object: KubernetesObject) => {
    const match = earlier.get(name(object))
    return match && isSame(match, object) ? match : undefined
  }
  const isKept = (object: KubernetesObject) => {
    const match = later.get(name(object))
    return match !== undefined && isSame(object, match)
  }
  return [
    ...after.map((object) => ({name: name(object), before: findEarlier(object), after: object})),
    ...before
      .filter((object) => !isKept(object))
      .map((object) => ({name: name(object), before: object, after: undefined})),
  ]
}

function objectName({apiVersion, kind, metadata}: KubernetesObject, namespace: string): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? namespace}/${metadata.name}`
}
