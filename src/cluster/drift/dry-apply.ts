import {type ApiError, isApiError} from '../api/api-error.ts'
import type {ApiClient, ApiRequest} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {asking, type Resource, readObject, resourcePath} from '../api/resources.ts'
import type {DryApply, DryApplyOptions, FieldConflict, KubernetesObject} from '../cluster.ts'
import {mapParallel} from '../parallel.ts'
import {type Redact, redactSecretsOf} from '../redact-secrets.ts'

const AT_ONCE = 8
/** How often live object and dry run are read again when somebody wrote between the two. */
const ATTEMPTS = 3
/** What is wrong with the object, or with a webhook that is asked about it. */
const REFUSALS = [400, 405, 409, 413, 415, 422, 500]
/** Helm's own name as a manager of fields (Helm 4.2: cmd/helm/helm.go). */
const MANAGER = 'helm'

/**
 * Lets the API server apply each object in a dry run, in the way in which helm would, and reads what is there now. In
 * both ways fields that the manifest does not name are left as they are.
 */
export async function dryApplyObjects(
  client: ApiClient,
  discovery: Discovery,
  {namespace, objects, method}: DryApplyOptions,
): Promise<readonly DryApply[]> {
  const redact = redactSecretsOf(objects)
  return mapParallel(objects, AT_ONCE, async (object): Promise<DryApply> => {
    const resource = await discovery.find(object.apiVersion, object.kind)
    if (resource === undefined) return {object, state: 'gone', missing: 'kind'}
    const home = object.metadata.namespace ?? namespace
    const patch = {client, resource, namespace: home, object, redact}
    return method === 'server-side' ? compare(patch, applied, conflicts) : compare(patch, merged)
  })
}

interface Patch {
  readonly client: ApiClient
  readonly resource: Resource
  readonly namespace: string
  readonly object: KubernetesObject
  readonly redact: Redact
}

async function compare(
  patch: Patch,
  apply: (patch: Patch) => Promise<KubernetesObject>,
  conflictsOf?: (patch: Patch) => Promise<readonly FieldConflict[]>,
): Promise<DryApply> {
  const {client, resource, namespace, object, redact} = patch
  const read = () => readObject<KubernetesObject>(client, resource, {namespace, name: object.metadata.name})
  try {
    let live = await read()
    for (let attempt = 1; live; attempt++) {
      const result = await apply(patch)
      const now = await read()
      const isSame = now?.metadata.resourceVersion === live.metadata.resourceVersion
      if (isSame || attempt === ATTEMPTS) {
        const found = (await conflictsOf?.(patch)) ?? []
        return {object, state: 'compared', live, applied: result, conflicts: found}
      }
      live = now
    }
    return {object, state: 'gone', missing: 'object'}
  } catch (error) {
    if (isApiError(error, 404)) return {object, state: 'gone', missing: 'object'}
    if (!isApiError(error, ...REFUSALS)) throw error
    return {object, state: 'refused', message: redact(error.said ?? error.message)}
  }
}

function applied(patch: Patch): Promise<KubernetesObject> {
  return patch.client.json(serverSideApply(patch, true))
}

/** Without force, the API server says which fields it would have to take from whom. */
async function conflicts(patch: Patch): Promise<readonly FieldConflict[]> {
  try {
    await patch.client.json(serverSideApply(patch, false))
    return []
  } catch (error) {
    if (!isApiError(error, 409)) throw error
    return conflictsIn(error)
  }
}

/** The causes of the API server's refusal (apimachinery: managedfields/internal/conflict.go). */
export function conflictsIn({causes}: Pick<ApiError, 'causes'>): readonly FieldConflict[] {
  return causes
    .filter(({reason}) => reason === 'FieldManagerConflict')
    .map(({field = '', message = ''}) => ({
      field,
      manager: /conflict with "([^"]+)"/.exec(message)?.[1] ?? message,
    }))
}

function serverSideApply({resource, namespace, object}: Patch, force: boolean): ApiRequest {
  const {name} = object.metadata
  const metadata = resource.namespaced ? {...object.metadata, namespace} : object.metadata
  return {
    method: 'PATCH',
    path: resourcePath(resource, namespace, name),
    query: {dryRun: 'All', fieldManager: MANAGER, force: String(force)},
    contentType: 'application/apply-patch+yaml',
    body: {...object, metadata},
    asked: asking('patch', resource, namespace, name),
  }
}

/**
 * Helm 3 merges manifest and live object into a patch (kube/client.go createPatch): the manifest itself, sent as one,
 * gives the same. Kinds that have no strategic merge, such as custom resources, take a plain one.
 */
async function merged(patch: Patch): Promise<KubernetesObject> {
  try {
    return await patch.client.json(mergePatch(patch, 'strategic-merge-patch'))
  } catch (error) {
    if (!isApiError(error, 415)) throw error
    return patch.client.json(mergePatch(patch, 'merge-patch'))
  }
}

function mergePatch({resource, namespace, object}: Patch, kind: string): ApiRequest {
  const {name} = object.metadata
  return {
    method: 'PATCH',
    path: resourcePath(resource, namespace, name),
    query: {dryRun: 'All', fieldManager: MANAGER},
    contentType: `application/${kind}+json`,
    body: object,
    asked: asking('patch', resource, namespace, name),
  }
}
