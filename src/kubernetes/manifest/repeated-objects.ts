import {isDeepStrictEqual} from 'node:util'
import {withoutHooks} from './helm-view.ts'
import type {KubernetesObject} from './kubernetes-object.ts'
import {objectKey} from './manifest.ts'

/** An object that a chart renders more than once. */
export interface RepeatedObject {
  readonly object: KubernetesObject
  /** Whether it is the same each time: helm 4 makes that. */
  readonly isSame: boolean
}

/**
 * Returns the objects that one release renders more than once, without hooks, which have events of their own, and definitions
 * of kinds, which charts may have in `crds/`, too. Helm 3 fails at the second; helm 4 writes those of one kind side by side, so
 * that either remains (Helm 4.2: kube/client.go batchPerform). `namespace` is that of the release.
 */
export function repeatedObjects(
  objects: readonly KubernetesObject[],
  namespace: string,
): readonly RepeatedObject[] {
  const made = withoutHooks(objects).filter(({kind}) => kind !== 'CustomResourceDefinition')
  return [...Map.groupBy(made, (object) => objectKey(object, namespace)).values()].flatMap(
    ([object, ...others]) => {
      if (object === undefined || others.length === 0) return []
      return [{object, isSame: others.every((other) => isDeepStrictEqual(other, object))}]
    },
  )
}
