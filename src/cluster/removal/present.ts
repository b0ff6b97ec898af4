import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {METADATA} from '../api/list.ts'
import {readObject} from '../api/resources.ts'
import type {KubernetesObject, PresentObject} from '../cluster.ts'
import {mapParallel} from '../parallel.ts'

const AT_ONCE = 8

/** Those of the objects that exist; one that may not be read counts as if it did. */
export async function presentObjects(
  client: ApiClient,
  discovery: Discovery,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly PresentObject[]> {
  const found = await mapParallel(objects, AT_ONCE, async (object): Promise<readonly PresentObject[]> => {
    const resource = await discovery.find(object.apiVersion, object.kind)
    if (resource === undefined) return []
    const home = object.metadata.namespace ?? namespace
    const at = {namespace: home, name: object.metadata.name, accept: METADATA}
    try {
      const live = await readObject<KubernetesObject>(client, resource, at)
      if (!live) return []
      return [{object, isGoing: live.metadata.deletionTimestamp !== undefined, live: live.metadata}]
    } catch (error) {
      if (isApiError(error, 403)) return [{object, isGoing: false, live: undefined}]
      throw error
    }
  })
  return found.flat()
}
