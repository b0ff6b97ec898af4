import type {KubernetesObject} from '../../cluster/cluster.ts'

/** An object on the two sides of a diff; at least one side is defined. */
export interface ObjectPair {
  /** The name, such as `apps/v1 Deployment openstack/keystone-api`. */
  readonly name: string
  readonly before: KubernetesObject | undefined
  readonly after: KubernetesObject | undefined
}

/**
 * Pairs objects of equal version, kind, namespace and name, in any order: first the objects of `after`, then those that
 * are gone. An object without a namespace is in that of the release.
 */
export function matchObjects(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  namespace: string,
): readonly ObjectPair[] {
  const name = (object: KubernetesObject) => objectName(object, namespace)
  const earlier = new Map(before.map((object) => [name(object), object]))
  const kept = new Set(after.map(name))
  return [
    ...after.map((object) => ({name: name(object), before: earlier.get(name(object)), after: object})),
    ...before
      .filter((object) => !kept.has(name(object)))
      .map((object) => ({name: name(object), before: object, after: undefined})),
  ]
}

function objectName({apiVersion, kind, metadata}: KubernetesObject, namespace: string): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? namespace}/${metadata.name}`
}
