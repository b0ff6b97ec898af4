import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {type Resource, readObject, requestText, resourcePath} from '../api/resources.ts'
import {type Collection, type CollectionScope, openCollection} from '../watch/collection.ts'

/** The namespace and name of an object; the namespace is empty for cluster-scoped kinds. */
export interface ObjectPlace {
  readonly namespace: string
  readonly name: string
}

/** The part of an object that identifies it. */
interface Named {
  readonly metadata: {readonly name: string; readonly namespace?: string; readonly [key: string]: unknown}
  readonly [part: string]: unknown
}

interface DeleteOptions {
  /** Whether the API server does not wait until the kubelet has ended a pod. */
  readonly force?: boolean
}

interface ApplyOptions {
  /** The field manager. */
  readonly manager: string
  /** Writes only the subresource `status`. */
  readonly status?: boolean
}

/** The API server's response to an apply. */
export interface Applied {
  readonly metadata: {readonly generation?: number; readonly uid?: string}
}

/** Objects of any kind whose resource is known. Every function throws like those of `Cluster`. */
export interface Objects {
  read<T>(resource: Resource, place: ObjectPlace): Promise<T | undefined>
  /**
   * Lists the objects of a kind in a namespace, or those that a label selector of kubectl's syntax selects;
   * undefined if the cluster does not serve the kind.
   */
  list<T>(resource: Resource, namespace: string, labelSelector?: string): Promise<readonly T[] | undefined>
  /** Applies an object on the server side, by force, and resolves with the result. */
  apply(resource: Resource, object: Named, options: ApplyOptions): Promise<Applied>
  /** Merges fields into an object that exists (RFC 7386); throws `KK_API` if it does not. */
  merge(resource: Resource, place: ObjectPlace, fields: object): Promise<void>
  /**
   * Deletes an object; no error if it, or its kind, does not exist. `force` deletes a pod whose kubelet is
   * lost.
   */
  delete(resource: Resource, place: ObjectPlace, options?: DeleteOptions): Promise<void>
  /** Keeps all objects of a kind in a namespace, or a selection, up to date until the signal. */
  follow(resource: Resource, namespace: string, signal: AbortSignal, scope?: CollectionScope): Collection
}

export function openObjects(client: ApiClient): Objects {
  return {
    read: (resource, place) => readObject(client, resource, place),
    list: (resource, namespace, labelSelector) => listObjects(client, resource, {namespace, labelSelector}),
    apply: (resource, object, options) => applyObject(client, resource, object, options),
    merge: async (resource, {namespace, name}, fields) =>
      void (await client.json({
        method: 'PATCH',
        path: resourcePath(resource, namespace, name),
        contentType: 'application/merge-patch+json',
        body: fields,
        summary: requestText('patch', resource, namespace, name),
        repeatable: true,
      })),
    delete: (resource, place, options) => deleteObject(client, resource, place, options),
    follow: (resource, namespace, signal, scope) =>
      openCollection(client, resource, namespace, signal, scope),
  }
}

async function listObjects<T>(
  client: ApiClient,
  resource: Resource,
  {namespace, labelSelector}: {readonly namespace: string; readonly labelSelector: string | undefined},
): Promise<readonly T[] | undefined> {
  try {
    const path = resourcePath(resource, namespace)
    const query = {labelSelector}
    return (await listAll<T>(client, {path, query, summary: requestText('list', resource, namespace)})).items
  } catch (error) {
    if (isApiError(error, 404)) return undefined
    throw error
  }
}

/** Applies an object on the server side, by force: it takes its fields from their present managers. */
export async function applyObject(
  client: ApiClient,
  resource: Resource,
  object: Named,
  {manager, status = false}: ApplyOptions,
): Promise<Applied> {
  const {name, namespace = ''} = object.metadata
  return client.json({
    method: 'PATCH',
    path: resourcePath(resource, namespace, name) + (status ? '/status' : ''),
    query: {fieldManager: manager, force: 'true'},
    contentType: 'application/apply-patch+yaml',
    body: object,
    summary: requestText('write', resource, namespace, name),
    repeatable: true,
  })
}

/** Deletes an object; no error if it, or its kind, does not exist. */
export async function deleteObject(
  client: ApiClient,
  resource: Resource,
  {namespace, name}: ObjectPlace,
  {force = false}: DeleteOptions = {},
): Promise<void> {
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(resource, namespace, name),
      ...(force && {query: {gracePeriodSeconds: 0}}),
      summary: requestText('delete', resource, namespace, name),
      repeatable: true,
    })
  } catch (error) {
    if (!isApiError(error, 404)) throw error
  }
}
