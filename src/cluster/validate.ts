import {type ApiError, isApiError} from './api/api-error.ts'
import type {ApiClient, ApiRequest} from './api/client.ts'
import type {Discovery} from './api/discovery.ts'
import {METADATA} from './api/list.ts'
import {asking, NAMESPACES, type Resource, readObject, resourcePath} from './api/resources.ts'
import type {KubernetesObject, Validation} from './cluster.ts'
import {isHook} from './is-hook.ts'
import {objectName} from './manifest.ts'
import {mapParallel} from './parallel.ts'
import {type Redact, redactSecretsOf} from './redact-secrets.ts'

const AT_ONCE = 8
/** What is wrong with the object, not with the way to the API server; 500 when a field has the wrong type or a webhook fails. */
const REFUSALS = [400, 403, 405, 409, 413, 415, 422, 500]

/** Asks the API server to accept each object, as a server-side apply that changes nothing; hooks as new objects. */
export async function validateObjects(
  client: ApiClient,
  discovery: Discovery,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly Validation[]> {
  const redact = redactSecretsOf(objects)
  const resources = await findResources(discovery, objects)
  const isNamespace = await findNamespaces(client, namespaceNames(namespace, objects, resources))
  return mapParallel(objects, AT_ONCE, async (object) => {
    const resource = resources.get(kindKey(object))
    const name = objectName(object)
    if (resource === undefined) return {object: name, outcome: 'known-after-apply', missing: 'kind'}
    const home = object.metadata.namespace ?? namespace
    const exists = !resource.namespaced || isNamespace(home)
    if (!exists) return {object: name, outcome: 'known-after-apply', missing: 'namespace'}
    return dryRun(client, {resource, namespace: home, object, redact})
  })
}

async function findResources(
  discovery: Discovery,
  objects: readonly KubernetesObject[],
): Promise<ReadonlyMap<string, Resource | undefined>> {
  const kinds = new Map(objects.map((object) => [kindKey(object), object]))
  const found = [...kinds].map(
    async ([key, {apiVersion, kind}]) => [key, await discovery.find(apiVersion, kind)] as const,
  )
  return new Map(await Promise.all(found))
}

function kindKey({apiVersion, kind}: KubernetesObject): string {
  return `${apiVersion}/${kind}`
}

function namespaceNames(
  namespace: string,
  objects: readonly KubernetesObject[],
  resources: ReadonlyMap<string, Resource | undefined>,
): string[] {
  const inside = objects.filter((object) => resources.get(kindKey(object))?.namespaced)
  return [...new Set(inside.map((object) => object.metadata.namespace ?? namespace))]
}

async function findNamespaces(
  client: ApiClient,
  names: readonly string[],
): Promise<(name: string) => boolean> {
  const found = await mapParallel(names, AT_ONCE, (name) =>
    readObject(client, NAMESPACES, {namespace: '', name, accept: METADATA}),
  )
  const existing = new Set(names.filter((_, index) => found[index] !== undefined))
  return (name) => existing.has(name)
}

interface DryRun {
  readonly resource: Resource
  readonly namespace: string
  readonly object: KubernetesObject
  readonly redact: Redact
}

async function dryRun(client: ApiClient, run: DryRun): Promise<Validation> {
  const {object, redact} = run
  const name = objectName(object)
  try {
    // Helm deletes a hook before it makes it again: what cannot change in an object may change in a hook.
    if (isHook(object)) {
      await client.json(creation(run))
      return {object: name, outcome: 'accepted'}
    }
    const {metadata} = await client.json<KubernetesObject>(application(run))
    // What is made in a dry run has no version.
    const standing = Boolean(metadata.resourceVersion)
    return {object: name, outcome: 'accepted', ...(standing && {standing: metadata})}
  } catch (error) {
    if (isApiError(error, 404)) return {object: name, outcome: 'known-after-apply', missing: 'namespace'}
    if (!isApiError(error, ...REFUSALS) || isNotAllowed(error)) throw error
    // The server looks at the object before it looks whether there is one already.
    if (isHook(object) && error.status === 409) return {object: name, outcome: 'accepted'}
    // A webhook that cannot be asked without effects says nothing about the object.
    if (/does not support dry run/i.test(error.message)) return {object: name, outcome: 'accepted'}
    return {object: name, outcome: 'refused', message: redact(error.said ?? error.message)}
  }
}

/** A permission is missing. Admission refuses objects with the same status, but in its own words. */
function isNotAllowed({status, said = ''}: ApiError): boolean {
  return status === 403 && /is forbidden: user "[^"]*" (?:cannot |.*is attempting to grant )/i.test(said)
}

function creation({resource, namespace, object}: DryRun): ApiRequest {
  return {
    method: 'POST',
    path: resourcePath(resource, namespace),
    query: {dryRun: 'All'},
    body: withNamespace(object, resource, namespace),
    asked: asking('create', resource, namespace, object.metadata.name),
  }
}

function application({resource, namespace, object}: DryRun): ApiRequest {
  return {
    method: 'PATCH',
    path: resourcePath(resource, namespace, object.metadata.name),
    query: {dryRun: 'All', fieldManager: 'kk', force: 'true'},
    contentType: 'application/apply-patch+yaml',
    body: withNamespace(object, resource, namespace),
    asked: asking('patch', resource, namespace, object.metadata.name),
  }
}

/** The API refuses an applied object whose namespace is not the path's; a chart often leaves it out. */
function withNamespace(object: KubernetesObject, resource: Resource, namespace: string): KubernetesObject {
  if (!resource.namespaced) return object
  return {...object, metadata: {...object.metadata, namespace}}
}
