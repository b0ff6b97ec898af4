import {mapParallel} from '../../base/parallel.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {METADATA} from '../api/list.ts'
import {NAMESPACES, readObject, requestText, resourcePath} from '../api/resources.ts'
import {correctObjects} from '../dry-run/dry-apply.ts'
import type {Observed} from '../gate/kinds/observed.ts'
import {createNamespace} from '../lease/lease.ts'
import {KEEP_ANNOTATION} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {takeFluxFields} from './helm-release.ts'
import {createJobOf} from './instantiate.ts'
import type {LiveObjects, ObjectIdentity} from './live-objects.ts'
import {missingByLists} from './missing.ts'
import {deleteClaim, listClaims, presentObjects} from './removal.ts'

export function openLiveObjects(client: ApiClient, discovery: Discovery): LiveObjects {
  return {
    exist: (namespace, objects) => allExist(client, discovery, namespace, objects),
    present: (namespace, objects) => presentObjects(client, discovery, namespace, objects),
    missing: missingByLists(client, discovery),
    delete: (object) => deleteObject(client, discovery, object),
    keep: (namespace, object) => keepObject(client, discovery, namespace, object),
    correct: (options) => correctObjects(client, discovery, options),
    takeFluxFields: (namespace, objects) => takeFluxFields(client, discovery, {namespace, objects}),
    claims: (namespace) => listClaims(client, namespace),
    deleteClaim: (claim) => deleteClaim(client, claim),
    createJobOf: (job) => createJobOf(client, job),
    makeNamespace: (name) => createNamespace(client, name),
    hasNamespace: async (name) => (await namespaceState(client, name)) !== 'missing',
    isNamespaceGoing: async (name) => (await namespaceState(client, name)) === 'going',
  }
}

/** Returns `unknown` if it may not be read. */
async function namespaceState(
  client: ApiClient,
  name: string,
): Promise<'there' | 'going' | 'missing' | 'unknown'> {
  try {
    const live = await readObject<Observed>(client, NAMESPACES, {namespace: '', name, accept: METADATA})
    if (!live) return 'missing'
    return live.metadata.deletionTimestamp === undefined ? 'there' : 'going'
  } catch (error) {
    if (isApiError(error, 403)) return 'unknown'
    throw error
  }
}

/** Whether every object exists; an object of a kind that the cluster does not serve does not. */
async function allExist(
  client: ApiClient,
  discovery: Discovery,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<boolean> {
  const exist = await mapParallel(objects, async ({apiVersion, kind, metadata}) => {
    const resource = await discovery.find(apiVersion, kind)
    if (resource === undefined) return false
    const at = {namespace: metadata.namespace ?? namespace, name: metadata.name, accept: METADATA}
    return (await readObject(client, resource, at)) !== undefined
  })
  return exist.every(Boolean)
}

/**
 * Annotates an object so that helm keeps it (kube.Client.Update reads the live object). Returns false if it
 * does not exist, and so needs no annotation.
 */
async function keepObject(
  client: ApiClient,
  discovery: Discovery,
  releaseNamespace: string,
  {apiVersion, kind, metadata: {name, namespace = releaseNamespace}}: KubernetesObject,
): Promise<boolean> {
  const resource = await discovery.find(apiVersion, kind)
  if (resource === undefined) return false
  try {
    await client.json({
      method: 'PATCH',
      path: resourcePath(resource, namespace, name),
      contentType: 'application/merge-patch+json',
      body: {metadata: {annotations: KEEP_ANNOTATION}},
      summary: requestText('patch', resource, namespace, name),
    })
    return true
  } catch (error) {
    if (isApiError(error, 404)) return false
    throw error
  }
}

/**
 * Deletes the object of this UID, and in the background the objects that it owns. Returns false if it is
 * gone.
 */
async function deleteObject(
  client: ApiClient,
  discovery: Discovery,
  {apiVersion, kind, namespace, name, uid}: ObjectIdentity,
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
      summary: requestText('delete', resource, namespace, name),
    })
    return true
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    return false
  }
}
