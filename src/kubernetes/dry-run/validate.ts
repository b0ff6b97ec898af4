import {mapParallel} from '../../base/parallel.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import {type ApiError, isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery, ServedKinds} from '../api/discovery.ts'
import {METADATA} from '../api/list.ts'
import {maskedClient} from '../api/masked-client.ts'
import {NAMESPACES, type Resource, readObject} from '../api/resources.ts'
import {isHook} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {objectKey, objectName} from '../manifest/manifest.ts'
import {nameProblem} from '../manifest/name-problem.ts'
import {repeatsMergeKeys} from './client-side-merge.ts'
import type {FieldConflict, HelmWrites, ValidateOptions, Validation} from './dry-runs.ts'
import {apply, conflictsIn, create, type ObjectToWrite, patchAsHelm} from './helm-writes.ts'

/**
 * Statuses that indicate a fault of the object, not of the connection to the API server; 500 if a field has
 * the wrong type or a webhook fails.
 */
const REFUSALS = [400, 403, 405, 409, 413, 415, 422, 500]

/** How helm creates an object, so that no conflict stops it. */
const AS_NEW: HelmWrites = {method: 'server-side', force: true, before: []}

/** A namespace that every cluster has. */
const EXISTING_NAMESPACE = 'default'

/**
 * Validates each object in a dry run, as helm will write it; hooks as new objects. If the namespace does not
 * exist yet, the object is created in another namespace, to check that it is well-formed; if the kind does
 * not exist, only the rules for every name are checked.
 */
export async function validateObjects(
  plainClient: ApiClient,
  discovery: Pick<ServedKinds, 'find' | 'isUnavailable'>,
  {namespace, objects, writes = AS_NEW, redact}: ValidateOptions,
): Promise<readonly Validation[]> {
  const client = maskedClient(plainClient, redactSecretsOf(objects, redact))
  const resources = await findResources(discovery, objects)
  const named = objects.filter((object) => nameProblem(object) === undefined)
  const isNamespace = await findNamespaces(client, namespaceNames(namespace, named, resources))
  const previous = new Map(writes.before.map((object) => [objectKey(object, namespace), object]))
  return mapParallel(objects, async (object): Promise<Validation> => {
    const resource = resources.get(kindKey(object))
    const name = objectName(object)
    const objectNamespace = object.metadata.namespace ?? namespace
    const problem = nameProblem(object)
    if (problem !== undefined) return {object: name, outcome: 'refused', message: problem}
    if (resource === undefined) {
      const missing = (await discovery.isUnavailable(object.apiVersion)) ? 'server' : 'kind'
      return {object: name, outcome: 'known-after-apply', missing}
    }
    const exists = !resource.namespaced || isNamespace(objectNamespace)
    if (!exists) return dryRunElsewhere(client, {resource, namespace: EXISTING_NAMESPACE, object, writes})
    const before = previous.get(objectKey(object, namespace))
    return dryRun(client, {resource, namespace: objectNamespace, object, writes, before})
  })
}

async function findResources(
  discovery: Discovery,
  objects: readonly KubernetesObject[],
): Promise<ReadonlyMap<string, Resource | undefined>> {
  const kinds = new Map(objects.map((object) => [kindKey(object), object]))
  const resources = [...kinds].map(
    async ([key, {apiVersion, kind}]) => [key, await discovery.find(apiVersion, kind)] as const,
  )
  return new Map(await Promise.all(resources))
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
  const namespaces = await mapParallel(names, (name) =>
    readObject(client, NAMESPACES, {namespace: '', name, accept: METADATA}),
  )
  const existing = new Set(names.filter((_, index) => namespaces[index] !== undefined))
  return (name) => existing.has(name)
}

interface DryRunSubject extends ObjectToWrite {
  readonly writes: HelmWrites
}

/**
 * Tries the object in another namespace and reports only faults that do not depend on the namespace, its
 * permissions or its content.
 */
async function dryRunElsewhere(client: ApiClient, subject: DryRunSubject): Promise<Validation> {
  const name = objectName(subject.object)
  try {
    const isApplied = subject.writes.method === 'server-side'
    await create(client, subject, {isStrict: isApplied})
    // Only an apply detects two items of one key in a list. It uses a name that no object has, so that it
    // changes none.
    if (isApplied && repeatsMergeKeys(subject.object))
      await apply(client, {...subject, object: renamed(subject.object)}, true)
  } catch (error) {
    if (!isApiError(error)) throw error
    if (isMalformed(error))
      return {
        object: name,
        outcome: 'refused',
        message: error.serverMessage!.replaceAll(PROBE_NAME, subject.object.metadata.name),
      }
  }
  return {object: name, outcome: 'known-after-apply', missing: 'namespace'}
}

/** A name that every kind accepts, and that no object has. */
const PROBE_NAME = 'kk-dry-run-of-an-object'

function renamed(object: KubernetesObject): KubernetesObject {
  return {...object, metadata: {...object.metadata, name: PROBE_NAME}}
}

/**
 * Whether the object was refused by the kind's own rules, or when it was decoded (apimachinery: api/errors
 * NewInvalid; apiserver: endpoints/handlers transformDecodeError, structuredmerge.go Apply). Webhooks and
 * policies refuse with the same statuses, but with other messages.
 */
function isMalformed({status, serverMessage = '', causes}: ApiError): boolean {
  if (status === 500) return /^failed to create typed patch object /.test(serverMessage)
  if (status === 400) return /^\S+ in version "[^"]*" cannot be handled as an? /.test(serverMessage)
  if (status !== 422 || !/^\S+ "[^"]*" is invalid: /.test(serverMessage)) return false
  return !causes.length || causes.some(({field, message}) => !/namespace/i.test(`${field} ${message}`))
}

interface DryRun extends DryRunSubject {
  /** The object of the last revision. */
  readonly before: KubernetesObject | undefined
}

async function dryRun(client: ApiClient, run: DryRun): Promise<Validation> {
  const {object, writes} = run
  const name = objectName(object)
  try {
    // Helm deletes a hook before it re-creates it, so immutable fields of a hook may change.
    if (isHook(object)) {
      await create(client, run)
      return {object: name, outcome: 'accepted'}
    }
    const details = await (writes.method === 'server-side' ? applied(client, run) : merged(client, run))
    return {object: name, outcome: 'accepted', ...details}
  } catch (error) {
    if (isApiError(error, 404)) return {object: name, outcome: 'known-after-apply', missing: 'namespace'}
    if (!isApiError(error, ...REFUSALS) || isNotAllowed(error)) throw error
    // The server validates the object before it checks whether one of that name exists.
    if (isHook(object) && error.status === 409)
      return {object: name, outcome: 'accepted', ...(await readExisting(client, run))}
    // A webhook without support for dry runs says nothing about the object.
    if (/does not support dry run/i.test(error.message)) return {object: name, outcome: 'accepted'}
    const message = error.serverMessage ?? error.message
    const webhook = unansweredWebhook(error)
    return {object: name, outcome: 'refused', message, ...(webhook !== undefined && {webhook})}
  }
}

/**
 * Returns the Service of a webhook that could not be called, as `namespace/name`, or the name of the webhook;
 * undefined for another error (apiserver: admission/plugin/webhook/errors ToStatusErr, ErrCallingWebhook).
 */
function unansweredWebhook({status, serverMessage = ''}: ApiError): string | undefined {
  const webhook = /failed calling webhook "([^"]+)"/.exec(serverMessage)?.[1]
  if (status !== 500 || webhook === undefined) return undefined
  const [, service, namespace] = /https:\/\/([^./]+)\.([^./]+)\.svc\b/.exec(serverMessage) ?? []
  return service === undefined ? webhook : `${namespace}/${service}`
}

/** Returns the metadata of the object that has a hook's name; none if it may not be read. */
async function readExisting(client: ApiClient, run: DryRun): Promise<Existing> {
  const standing = await readLive(client, run).catch((error: unknown) => {
    if (!isApiError(error, 403)) throw error
  })
  return standing ? {standing} : {}
}

type Existing = Pick<Extract<Validation, {outcome: 'accepted'}>, 'standing' | 'conflicts'>

async function applied(client: ApiClient, run: DryRun): Promise<Existing> {
  const {metadata, conflicts} = await appliedOrInConflict(client, run)
  // An object that a dry run creates has no resourceVersion.
  if (!metadata.resourceVersion) return {}
  const standing = await readLive(client, run)
  return {...(standing && {standing}), ...(conflicts.length > 0 && {conflicts})}
}

/**
 * Applies an object in a dry run. If there are conflicts, the API server reports nothing else; a second dry
 * run with force reports the rest.
 */
async function appliedOrInConflict(
  client: ApiClient,
  run: DryRun,
): Promise<Pick<KubernetesObject, 'metadata'> & {readonly conflicts: readonly FieldConflict[]}> {
  const {force} = run.writes
  try {
    const {metadata} = await apply(client, run, force)
    return {metadata, conflicts: []}
  } catch (error) {
    const conflicts = isApiError(error, 409) ? conflictsIn(error) : []
    if (conflicts.length === 0) throw error
    const {metadata} = await apply(client, run, true)
    return {metadata, conflicts}
  }
}

async function merged(client: ApiClient, run: DryRun): Promise<Existing> {
  const {resource, namespace, object, before} = run
  const live = await readObject<KubernetesObject>(client, resource, {namespace, name: object.metadata.name})
  if (!live) {
    await create(client, run)
    return {}
  }
  await patchAsHelm(client, run, {before, live, isDry: true})
  return {standing: live.metadata}
}

/** Returns the metadata of the live object, before helm has marked it as its own. */
async function readLive(
  client: ApiClient,
  {resource, namespace, object}: ObjectToWrite,
): Promise<KubernetesObject['metadata'] | undefined> {
  const at = {namespace, name: object.metadata.name, accept: METADATA}
  return (await readObject<KubernetesObject>(client, resource, at))?.metadata
}

/**
 * Whether a permission is missing. Admission refuses objects with the same status, but with another message.
 */
function isNotAllowed({status, serverMessage = ''}: ApiError): boolean {
  return (
    status === 403 && /is forbidden: user "[^"]*" (?:cannot |.*is attempting to grant )/i.test(serverMessage)
  )
}
