import {redactSecretsOf} from '../helm/redact/objects.ts'
import type {Redact} from '../helm/redact/redact.ts'
import {type ApiError, isApiError} from './api/api-error.ts'
import type {ApiClient} from './api/client.ts'
import type {Discovery} from './api/discovery.ts'
import {METADATA} from './api/list.ts'
import {NAMESPACES, type Resource, readObject} from './api/resources.ts'
import type {FieldConflict, HelmWrites, KubernetesObject, ValidateOptions, Validation} from './cluster.ts'
import {isHook} from './helm-annotations.ts'
import {apply, conflictsIn, create, mergeAsPatch, type Written} from './helm-writes.ts'
import {objectKey, objectName} from './manifest.ts'
import {nameProblem} from './name-problem.ts'
import {mapParallel} from './parallel.ts'

const AT_ONCE = 8
/** What is wrong with the object, not with the way to the API server; 500 when a field has the wrong type or a webhook fails. */
const REFUSALS = [400, 403, 405, 409, 413, 415, 422, 500]

/** As helm makes what does not exist yet: so nothing stands in its way. */
const AS_NEW: HelmWrites = {method: 'server-side', force: true, before: []}

/** A namespace that every cluster has. */
const STANDING = 'default'

/**
 * Asks the API server to accept each object as helm will write it, in a dry run; hooks as new objects. Where the namespace
 * does not exist yet, it is asked whether the object is well-formed, by making it in another one; where the kind does not,
 * the object is held against the rules that hold for every name.
 */
export async function validateObjects(
  client: ApiClient,
  discovery: Discovery,
  {namespace, objects, writes = AS_NEW}: ValidateOptions,
): Promise<readonly Validation[]> {
  const redact = redactSecretsOf(objects)
  const resources = await findResources(discovery, objects)
  const named = objects.filter((object) => nameProblem(object) === undefined)
  const isNamespace = await findNamespaces(client, namespaceNames(namespace, named, resources))
  const beforeOf = new Map(writes.before.map((object) => [objectKey(object, namespace), object]))
  return mapParallel(objects, AT_ONCE, async (object): Promise<Validation> => {
    const resource = resources.get(kindKey(object))
    const name = objectName(object)
    const home = object.metadata.namespace ?? namespace
    const problem = nameProblem(object)
    if (problem !== undefined) return {object: name, outcome: 'refused', message: problem}
    if (resource === undefined) return {object: name, outcome: 'known-after-apply', missing: 'kind'}
    const exists = !resource.namespaced || isNamespace(home)
    if (!exists) return dryRunElsewhere(client, {resource, namespace: STANDING, object, redact, writes})
    const before = beforeOf.get(objectKey(object, namespace))
    return dryRun(client, {resource, namespace: home, object, redact, writes, before})
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

interface Asked extends Written {
  readonly redact: Redact
  readonly writes: HelmWrites
}

/** Only what is wrong with the object anywhere counts: not who may do what in that namespace, nor what it has. */
async function dryRunElsewhere(client: ApiClient, asked: Asked): Promise<Validation> {
  const name = objectName(asked.object)
  try {
    await create(client, asked, {isStrict: asked.writes.method === 'server-side'})
  } catch (error) {
    if (!isApiError(error)) throw error
    if (isMalformed(error)) return {object: name, outcome: 'refused', message: asked.redact(error.said!)}
  }
  return {object: name, outcome: 'known-after-apply', missing: 'namespace'}
}

/**
 * Refused by the kind's own rules, or when it was decoded (apimachinery: api/errors NewInvalid; apiserver:
 * endpoints/handlers transformDecodeError). Webhooks and policies refuse with the same statuses, in their own words.
 */
function isMalformed({status, said = '', causes}: ApiError): boolean {
  if (status === 400) return /^\S+ in version "[^"]*" cannot be handled as an? /.test(said)
  if (status !== 422 || !/^\S+ "[^"]*" is invalid: /.test(said)) return false
  return !causes.length || causes.some(({field, message}) => !/namespace/i.test(`${field} ${message}`))
}

interface DryRun extends Asked {
  /** The object of the last revision. */
  readonly before: KubernetesObject | undefined
}

async function dryRun(client: ApiClient, run: DryRun): Promise<Validation> {
  const {object, redact, writes} = run
  const name = objectName(object)
  try {
    // Helm deletes a hook before it makes it again: what cannot change in an object may change in a hook.
    if (isHook(object)) {
      await create(client, run)
      return {object: name, outcome: 'accepted'}
    }
    const found = await (writes.method === 'server-side' ? applied(client, run) : merged(client, run))
    return {object: name, outcome: 'accepted', ...found}
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

type Found = Pick<Extract<Validation, {outcome: 'accepted'}>, 'standing' | 'conflicts'>

async function applied(client: ApiClient, run: DryRun): Promise<Found> {
  const {metadata, conflicts} = await appliedOrInConflict(client, run)
  // What is made in a dry run has no version.
  if (!metadata.resourceVersion) return {}
  const standing = await readLive(client, run)
  return {...(standing && {standing}), ...(conflicts.length > 0 && {conflicts})}
}

/** Of an object with a conflict the API server says only that: with force it says the rest. */
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

async function merged(client: ApiClient, run: DryRun): Promise<Found> {
  const standing = await readLive(client, run)
  if (!standing) {
    await create(client, run)
    return {}
  }
  await mergeAsPatch(client, run, run.before)
  return {standing}
}

/** Before helm has marked it as its own. */
async function readLive(
  client: ApiClient,
  {resource, namespace, object}: Written,
): Promise<KubernetesObject['metadata'] | undefined> {
  const at = {namespace, name: object.metadata.name, accept: METADATA}
  return (await readObject<KubernetesObject>(client, resource, at))?.metadata
}

/** A permission is missing. Admission refuses objects with the same status, but in its own words. */
function isNotAllowed({status, said = ''}: ApiError): boolean {
  return status === 403 && /is forbidden: user "[^"]*" (?:cannot |.*is attempting to grant )/i.test(said)
}
