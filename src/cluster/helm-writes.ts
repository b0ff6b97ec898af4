import {isMap, type Values} from '../release.ts'
import {type ApiError, isApiError} from './api/api-error.ts'
import type {ApiClient, ApiRequest} from './api/client.ts'
import {asking, type Resource, resourcePath} from './api/resources.ts'
import type {FieldConflict, KubernetesObject} from './cluster.ts'

/** Helm's own name as a manager of fields (Helm 4.2: cmd/helm/helm.go). */
export const MANAGER = 'helm'

/** An object with its resource and namespace. */
export interface Written {
  readonly resource: Resource
  readonly namespace: string
  readonly object: KubernetesObject
}

/**
 * Creates an object in a dry run. If strict, fields that the kind does not have are refused, as an apply refuses them.
 */
export function create(
  client: ApiClient,
  {resource, namespace, object}: Written,
  {isStrict = false} = {},
): Promise<KubernetesObject> {
  return client.json({
    method: 'POST',
    path: resourcePath(resource, namespace),
    query: {dryRun: 'All', fieldManager: MANAGER, ...(isStrict && {fieldValidation: 'Strict'})},
    body: withNamespace(object, resource, namespace),
    asked: asking('create', resource, namespace, object.metadata.name),
  })
}

/**
 * Applies an object on the server side, in a dry run unless told otherwise, as helm 4 does: fields that helm wrote before
 * and leaves out now are removed. Throws also for a field that somebody else manages, unless it is forced; see `conflictsIn`.
 */
export function apply(
  client: ApiClient,
  {resource, namespace, object}: Written,
  force: boolean,
  isDry = true,
): Promise<KubernetesObject> {
  return client.json({
    method: 'PATCH',
    path: resourcePath(resource, namespace, object.metadata.name),
    query: {...(isDry && {dryRun: 'All'}), fieldManager: MANAGER, force: force ? 'true' : 'false'},
    contentType: 'application/apply-patch+yaml',
    body: withNamespace(object, resource, namespace),
    asked: asking('patch', resource, namespace, object.metadata.name),
  })
}

/**
 * Returns the fields that an apply would have to take from others, by the API server's refusal (apimachinery:
 * managedfields/internal/conflict.go).
 */
export function conflictsIn({causes}: Pick<ApiError, 'causes'>): readonly FieldConflict[] {
  return causes
    .filter(({reason}) => reason === 'FieldManagerConflict')
    .map(({field = '', message = ''}) => ({
      field,
      manager: /conflict with "([^"]+)"/.exec(message)?.[1] ?? message,
    }))
}

/**
 * Merges an object, in a dry run unless told otherwise. Helm 3 makes its patch from the previous manifest, the manifest and the live object
 * (kube/client.go createPatch); the manifest itself, minus what only `before` had, has the same result. Kinds without a
 * strategic merge, such as custom resources, take a plain one.
 */
export async function mergeAsPatch(
  client: ApiClient,
  written: Written,
  before?: KubernetesObject,
  isDry = true,
): Promise<KubernetesObject> {
  try {
    return await client.json(patching(written, {merge: 'strategic-merge-patch', before, isDry}))
  } catch (error) {
    if (!isApiError(error, 415)) throw error
    return client.json(patching(written, {merge: 'merge-patch', before, isDry}))
  }
}

interface Patching {
  readonly merge: 'strategic-merge-patch' | 'merge-patch'
  readonly before: KubernetesObject | undefined
  readonly isDry: boolean
}

function patching({resource, namespace, object}: Written, {merge, before, isDry}: Patching): ApiRequest {
  return {
    method: 'PATCH',
    path: resourcePath(resource, namespace, object.metadata.name),
    query: {...(isDry && {dryRun: 'All'}), fieldManager: MANAGER},
    contentType: `application/${merge}+json`,
    body: before ? takingAway(before, object, merge === 'strategic-merge-patch') : object,
    asked: asking('patch', resource, namespace, object.metadata.name),
  }
}

/**
 * Returns the object with its namespace, which charts often leave out: the API refuses an applied object whose
 * namespace is not the path's.
 */
function withNamespace(object: KubernetesObject, resource: Resource, namespace: string): KubernetesObject {
  if (!resource.namespaced) return object
  return {...object, metadata: {...object.metadata, namespace}}
}

/**
 * The keys that identify items of lists which Kubernetes merges by items (`patchMergeKey` in k8s.io/api); other lists
 * are replaced.
 */
const MERGE_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  imagePullSecrets: ['name'],
  secrets: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey'],
  ports: ['containerPort', 'port'],
}

/** Returns a patch that sets what `after` has, and removes what only `before` had. */
function takingAway(before: Values, after: Values, isStrategic: boolean): Values {
  const gone = Object.keys(before).filter((key) => after[key] === undefined || after[key] === null)
  const staying = Object.entries(after).map(([key, value]): [string, unknown] => {
    const old = before[key]
    if (isMap(old) && isMap(value)) return [key, takingAway(old, value, isStrategic)]
    if (isStrategic && isList(old) && isList(value)) return [key, listTakingAway(key, old, value)]
    return [key, value]
  })
  return {...Object.fromEntries(staying), ...Object.fromEntries(gone.map((key) => [key, null]))}
}

function listTakingAway(key: string, before: readonly unknown[], after: readonly unknown[]): unknown {
  const mergeKey = MERGE_KEYS[key]?.find((each) =>
    [...before, ...after].every((item) => isMap(item) && item[each] !== undefined),
  )
  if (mergeKey === undefined) return after
  const old = new Map((before as readonly Values[]).map((item) => [item[mergeKey], item]))
  const kept = (after as readonly Values[]).map((item) => {
    const was = old.get(item[mergeKey])
    old.delete(item[mergeKey])
    return was ? takingAway(was, item, true) : item
  })
  return [...kept, ...[...old.keys()].map((name) => ({[mergeKey]: name, $patch: 'delete'}))]
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}
