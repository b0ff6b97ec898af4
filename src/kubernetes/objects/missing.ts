import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import {type Resource, requestText, resourcePath} from '../api/resources.ts'
import {isAutoDeleted} from '../gate/evaluate.ts'
import {isHook} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

type MissingNow = (
  namespace: string,
  objects: readonly KubernetesObject[],
) => Promise<readonly KubernetesObject[]>

/**
 * Returns a reader of the objects that do not exist, by one list of names of each kind. Concurrent calls
 * share a list. Objects that may not be listed, hooks, which helm re-creates, and Jobs with a TTL count as
 * existing.
 */
export function missingByLists(client: ApiClient, discovery: Discovery): MissingNow {
  const pending = new Map<string, Promise<ReadonlySet<string> | undefined>>()

  function names(resource: Resource, namespace: string): Promise<ReadonlySet<string> | undefined> {
    const path = resourcePath(resource, namespace)
    const shared =
      pending.get(path) ?? namesIn(client, resource, namespace).finally(() => pending.delete(path))
    pending.set(path, shared)
    return shared
  }

  return async (namespace, objects) => {
    const missing = await Promise.all(
      objects.filter(isPermanent).map(async (object) => {
        const {apiVersion, kind, metadata} = object
        const resource = await discovery.find(apiVersion, kind)
        const existing = resource && (await names(resource, metadata.namespace ?? namespace))
        return existing && !existing.has(metadata.name) ? [object] : []
      }),
    )
    return missing.flat()
  }
}

/** Returns false for a hook, and for a Job that Kubernetes deletes after it has finished. */
export function isPermanent(object: KubernetesObject): boolean {
  return !isHook(object) && !isAutoDeleted(object)
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
      summary: requestText('list', resource, namespace),
    })
    return new Set(items.map(({metadata}) => metadata.name))
  } catch (error) {
    if (isApiError(error, 403, 404, 405)) return undefined
    throw error
  }
}
