import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {asking, resourcePath} from '../api/resources.ts'
import type {Cluster} from '../cluster.ts'

/** Deletes exactly the object that was seen, and in the background what it owns. */
export async function deleteObject(
  client: ApiClient,
  discovery: Discovery,
  {apiVersion, kind, namespace, name, uid}: Parameters<Cluster['deleteObject']>[0],
): Promise<boolean> {
  const resource = await discovery.find(apiVersion, kind)
  if (resource === undefined) return false
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(resource, namespace, name),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: {uid},
      },
      asked: asking('delete', resource, namespace, name),
    })
    return true
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    return false
  }
}
