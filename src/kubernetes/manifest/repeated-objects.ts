import {isDeepStrictEqual} from 'node:util'
import {withoutHooks} from './helm-view.ts'
import type {KubernetesObject} from './kubernetes-object.ts'
import {objectKey} from './manifest.ts'

/** An object that a chart renders more than once. */
export interface RepeatedObject {
  readonly object: KubernetesObject
  /** Whether all occurrences are equal: helm 4 accepts that. */
  readonly isSame: boolean
}

/**
 * Returns the objects that one release renders more than once, except hooks, which have separate events, and
 * CustomResourceDefinitions, which charts may also have in `crds/`. Helm 3 fails at the second copy; helm 4
 * writes objects of one kind concurrently, so either copy may win (Helm 4.2: kube/client.go batchPerform).
 * `namespace` is the namespace of the release.
 */
export function repeatedObjects(
  objects: readonly KubernetesObject[],
  namespace: string,
): readonly RepeatedObject[] {
  const plain = withoutHooks(objects).filter(({kind}) => kind !== 'CustomResourceDefinition')
  return [...Map.groupBy(plain, (object) => objectKey(object, namespace)).values()].flatMap(
    ([object, ...duplicates]) => {
      if (object === undefined || duplicates.length === 0) return []
      return [{object, isSame: duplicates.every((other) => isDeepStrictEqual(other, object))}]
    },
  )
}
