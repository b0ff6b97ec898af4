import {mapParallel} from '../../base/parallel.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listAll, METADATA, METADATA_LIST} from '../api/list.ts'
import {CLAIMS, readObject, requestText, resourcePath} from '../api/resources.ts'
import type {Identity} from '../api/served.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {Claim, PresentObject} from './live-objects.ts'

/** Returns the PersistentVolumeClaims of a namespace, by name. */
export async function listClaims(client: ApiClient, namespace: string): Promise<readonly Claim[]> {
  const {items} = await listAll<{readonly metadata: Identity}>(client, {
    path: resourcePath(CLAIMS, namespace),
    accept: METADATA_LIST,
    summary: requestText('list', CLAIMS, namespace),
  })
  return items.map(({metadata: {name, uid, labels = {}}}) => ({namespace, name, uid, labels}))
}

/** Deletes the claim of this UID; a claim that was re-created under its name stays. */
export async function deleteClaim(client: ApiClient, {namespace, name, uid}: Claim): Promise<void> {
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(CLAIMS, namespace, name),
      body: {apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid}},
      summary: requestText('delete', CLAIMS, namespace, name),
    })
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
  }
}

/** Returns the objects that exist, including those that may not be read. */
export async function presentObjects(
  client: ApiClient,
  discovery: Discovery,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly PresentObject[]> {
  const present = await mapParallel(objects, async (object): Promise<readonly PresentObject[]> => {
    const resource = await discovery.find(object.apiVersion, object.kind)
    if (resource === undefined) return []
    const objectNamespace = object.metadata.namespace ?? namespace
    const at = {namespace: objectNamespace, name: object.metadata.name, accept: METADATA}
    try {
      const live = await readObject<KubernetesObject>(client, resource, at)
      if (!live) return []
      return [{object, isGoing: live.metadata.deletionTimestamp !== undefined, live: live.metadata}]
    } catch (error) {
      if (isApiError(error, 403)) return [{object, isGoing: false, live: undefined}]
      throw error
    }
  })
  return present.flat()
}
