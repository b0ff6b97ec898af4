import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {asking, resourcePath} from '../api/resources.ts'
import type {KubernetesObject} from '../cluster.ts'

/** Marks an object so that helm leaves it (kube.Client.Update reads the live object); one that is not there needs none. */
export async function keepObject(
  client: ApiClient,
  discovery: Discovery,
  home: string,
  {apiVersion, kind, metadata: {name, namespace = home}}: KubernetesObject,
): Promise<boolean> {
  const resource = await discovery.find(apiVersion, kind)
  if (resource === undefined) return false
  try {
    await client.json({
      method: 'PATCH',
      path: resourcePath(resource, namespace, name),
      contentType: 'application/merge-patch+json',
      body: {metadata: {annotations: {'helm.sh/resource-policy': 'keep'}}},
      asked: asking('patch', resource, namespace, name),
    })
    return true
  } catch (error) {
    if (isApiError(error, 404)) return false
    throw error
  }
}
