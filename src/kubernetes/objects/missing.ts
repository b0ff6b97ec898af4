import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import {asking, type Resource, resourcePath} from '../api/resources.ts'
import {mayVanish} from '../gate/evaluate.ts'
import {isHook} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

type MissingNow = (
  namespace: string,
  objects: readonly KubernetesObject[],
) => Promise<readonly KubernetesObject[]>

/**
 * Returns a reader of the objects that do not exist, by one list of names of each kind. Calls while a list is under way
 * share it. Objects that may not be listed, hooks, which helm makes anew, and Jobs that vanish by themselves count as
 * existing.
 */
export function missingByLists(client: ApiClient, discovery: Discovery): MissingNow {
  const underWay = new Map<string, Promise<ReadonlySet<string> | undefined>>()

  function names(resource: Resource, namespace: string): Promise<ReadonlySet<string> | undefined> {
    const path = resourcePath(resource, namespace)
    const shared =
      underWay.get(path) ?? namesIn(client, resource, namespace).finally(() => underWay.delete(path))
    underWay.set(path, shared)
    return shared
  }

  return async (namespace, objects) => {
    const found = await Promise.all(
      objects.filter(isLasting).map(async (object) => {
        const {apiVersion, kind, metadata} = object
        const resource = await discovery.find(apiVersion, kind)
        const there = resource && (await names(resource, metadata.namespace ?? namespace))
        return there && !there.has(metadata.name) ? [object] : []
      }),
    )
    return found.flat()
  }
}

/** Returns false for a hook, and for a Job that Kubernetes deletes when it has finished. */
export function isLasting(object: KubernetesObject): boolean {
  return !isHook(object) && !mayVanish(object)
}

async function namesIn(
  client: ApiClient,
  resource: Resource,
  namespace: string,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const {items} = await listAll<Pick<KubernetesObject, 'metadata'>>(client, {
      path: resourcePath(resource, namespace),
      accept: METADATA_LIST,
      asked: asking('list', resource, namespace),
    })
    return new Set(items.map(({metadata}) => metadata.name))
  } catch (error) {
    if (isApiError(error, 403, 404, 405)) return undefined
    throw error
  }
}
