import type {ApiClient} from './api/client.ts'
import type {Discovery} from './api/discovery.ts'
import {METADATA} from './api/list.ts'
import {readObject} from './api/resources.ts'
import type {KubernetesObject} from './cluster.ts'
import {mapParallel} from './parallel.ts'

const AT_ONCE = 8

/** Whether every object exists; an object of a kind that the cluster does not know does not. */
export async function allExist(
  client: ApiClient,
  discovery: Discovery,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<boolean> {
  const found = await mapParallel(objects, AT_ONCE, async ({apiVersion, kind, metadata}) => {
    const resource = await discovery.find(apiVersion, kind)
    if (resource === undefined) return false
    const at = {namespace: metadata.namespace ?? namespace, name: metadata.name, accept: METADATA}
    return (await readObject(client, resource, at)) !== undefined
  })
  return found.every(Boolean)
}
