import type {Values} from '../../base/values.ts'
import {type ApiError, isApiError} from '../api/api-error.ts'
import type {ApiClient, ApiRequest} from '../api/client.ts'
import {type Resource, requestText, resourcePath} from '../api/resources.ts'
import {isBuiltIn} from '../inventory/custom-kinds.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {plainPatch, threeWayPatch, withLiveItems} from './client-side-merge.ts'
import type {FieldConflict} from './dry-runs.ts'

/** Helm's name as a field manager (Helm 4.2: cmd/helm/helm.go). */
export const MANAGER = 'helm'

/** An object with its resource and namespace. */
export interface ObjectToWrite {
  readonly resource: Resource
  readonly namespace: string
  readonly object: KubernetesObject
}

/**
 * Creates an object in a dry run. If strict, fields that the kind does not have are refused, as by an apply.
 */
export function create(
  client: ApiClient,
  {resource, namespace, object}: ObjectToWrite,
  {isStrict = false} = {},
): Promise<KubernetesObject> {
  return client.json({
    method: 'POST',
    path: resourcePath(resource, namespace),
    query: {dryRun: 'All', fieldManager: MANAGER, ...(isStrict && {fieldValidation: 'Strict'})},
    body: withNamespace(object, resource, namespace),
    summary: requestText('create', resource, namespace, object.metadata.name),
  })
}

/**
 * Applies an object on the server side as helm 4 does, by default in a dry run: fields that helm wrote before
 * and omits now are removed. Throws also for a field of another manager, unless forced; see `conflictsIn`.
 */
export function apply(
  client: ApiClient,
  {resource, namespace, object}: ObjectToWrite,
  force: boolean,
  isDry = true,
): Promise<KubernetesObject> {
  return client.json({
    method: 'PATCH',
    path: resourcePath(resource, namespace, object.metadata.name),
    query: {...(isDry && {dryRun: 'All'}), fieldManager: MANAGER, force: force ? 'true' : 'false'},
    contentType: 'application/apply-patch+yaml',
    body: withNamespace(object, resource, namespace),
    summary: requestText('patch', resource, namespace, object.metadata.name),
  })
}

/**
 * Returns the fields that an apply would have to take from other managers, by the API server's refusal
 * (apimachinery: managedfields/internal/conflict.go).
 */
export function conflictsIn({causes}: Pick<ApiError, 'causes'>): readonly FieldConflict[] {
  return causes
    .filter(({reason}) => reason === 'FieldManagerConflict')
    .map(({field = '', message = ''}) => ({
      field,
      manager: /conflict with "([^"]+)"/.exec(message)?.[1] ?? message,
    }))
}

interface Merging {
  /** The object of the last revision. */
  readonly before: KubernetesObject | undefined
  readonly live: KubernetesObject
  readonly isDry: boolean
}

/**
 * Patches an object as helm does on the client side, in a dry run or not. Kinds without a strategic merge,
 * such as custom resources, get a plain merge patch.
 */
export async function patchAsHelm(
  client: ApiClient,
  written: ObjectToWrite,
  {before, live, isDry}: Merging,
): Promise<void> {
  const {object} = written
  const strategic = threeWayPatch({before, after: object, live})
  if (Object.keys(strategic).length === 0) return
  const how = {isDry, body: strategic, type: 'strategic-merge-patch'} as const
  try {
    await client.json(patching(written, how))
  } catch (error) {
    if (!isApiError(error, 415)) throw error
    const body = plainPatch(before ?? {}, object)
    await client.json(patching(written, {isDry, body, type: 'merge-patch'}))
  }
}

/**
 * Sets the fields of a manifest in an object that helm writes on the client side, in a dry run or not. Items
 * of lists are identified as by the API server, unlike in helm's patches.
 */
export function setFields(
  client: ApiClient,
  written: ObjectToWrite,
  {live, isDry}: {readonly live: KubernetesObject; readonly isDry: boolean},
): Promise<KubernetesObject> {
  const {object} = written
  const body = isBuiltIn(object.apiVersion) ? withLiveItems(object, live) : object
  return client.json(patching(written, {isDry, body, type: 'merge-patch'}))
}

interface Patching {
  readonly type: 'strategic-merge-patch' | 'merge-patch'
  readonly body: Values
  readonly isDry: boolean
}

function patching({resource, namespace, object}: ObjectToWrite, {type, body, isDry}: Patching): ApiRequest {
  return {
    method: 'PATCH',
    path: resourcePath(resource, namespace, object.metadata.name),
    query: {...(isDry && {dryRun: 'All'}), fieldManager: MANAGER},
    contentType: `application/${type}+json`,
    body,
    summary: requestText('patch', resource, namespace, object.metadata.name),
  }
}

/**
 * Returns the object with its namespace, which charts often omit: the API refuses an applied object whose
 * namespace differs from the path's.
 */
function withNamespace(object: KubernetesObject, resource: Resource, namespace: string): KubernetesObject {
  if (!resource.namespaced) return object
  return {...object, metadata: {...object.metadata, namespace}}
}
