import {mapParallel} from '../../base/parallel.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {maskedClient} from '../api/masked-client.ts'
import {readObject} from '../api/resources.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {objectKey} from '../manifest/manifest.ts'
import type {CorrectOptions, DryApply, DryApplyOptions, FieldConflict} from './dry-runs.ts'
import {apply, conflictsIn, type ObjectToWrite, patchAsHelm, setFields} from './helm-writes.ts'

/** The maximum of attempts if another client writes between the read and the dry run. */
const MAX_ATTEMPTS = 3
/** Statuses that indicate a fault of the object, or of a webhook for it. */
const REFUSALS = [400, 405, 409, 413, 415, 422, 500]

/**
 * Applies each object in a dry run, as helm would, and reads the live object. With both apply methods, fields
 * that the manifest does not name are kept.
 */
export async function dryApplyObjects(
  plainClient: ApiClient,
  discovery: Discovery,
  {namespace, objects, method, redact}: DryApplyOptions,
): Promise<readonly DryApply[]> {
  const client = maskedClient(plainClient, redactSecretsOf(objects, redact))
  return mapParallel(objects, async (object): Promise<DryApply> => {
    const resource = await discovery.find(object.apiVersion, object.kind)
    if (resource === undefined) return {object, state: 'gone', missing: 'kind'}
    const objectNamespace = object.metadata.namespace ?? namespace
    const patch = {client, resource, namespace: objectNamespace, object}
    return method === 'server-side'
      ? compare(patch, (each) => apply(client, each, true), conflicts)
      : compare(patch, (each, live) => setFields(client, each, {live, isDry: true}))
  })
}

/**
 * Writes existing objects as helm writes them, with force, so that their fields match the manifest again.
 * Objects that do not exist, or whose kind does not exist, are skipped.
 */
export async function correctObjects(
  plainClient: ApiClient,
  discovery: Discovery,
  {namespace, objects, method, redact, before}: CorrectOptions,
): Promise<void> {
  const client = maskedClient(plainClient, redactSecretsOf(objects, redact))
  const previous = before && new Map(before.map((object) => [objectKey(object, namespace), object]))
  for (const object of objects) {
    const last = previous?.get(objectKey(object, namespace))
    if (previous && !last) continue
    const resource = await discovery.find(object.apiVersion, object.kind)
    if (resource === undefined) continue
    const objectNamespace = object.metadata.namespace ?? namespace
    const at = {namespace: objectNamespace, name: object.metadata.name}
    const live = await readObject<KubernetesObject>(client, resource, at)
    if (!live) continue
    const written = {resource, namespace: objectNamespace, object}
    if (last) await patchAsHelm(client, written, {before: last, live, isDry: false})
    else if (method === 'server-side') await apply(client, written, true, false)
    else await setFields(client, written, {live, isDry: false})
  }
}

interface Patch extends ObjectToWrite {
  readonly client: ApiClient
}

async function compare(
  patch: Patch,
  write: (patch: Patch, live: KubernetesObject) => Promise<KubernetesObject>,
  conflictsOf?: (patch: Patch) => Promise<readonly FieldConflict[]>,
): Promise<DryApply> {
  const {client, resource, namespace, object} = patch
  const read = () => readObject<KubernetesObject>(client, resource, {namespace, name: object.metadata.name})
  try {
    let live = await read()
    for (let attempt = 1; live; attempt++) {
      const result = await write(patch, live)
      const now = await read()
      const isSame = now?.metadata.resourceVersion === live.metadata.resourceVersion
      if (isSame || attempt === MAX_ATTEMPTS) {
        const fieldConflicts = (await conflictsOf?.(patch)) ?? []
        return {object, state: 'compared', live, applied: result, conflicts: fieldConflicts}
      }
      live = now
    }
    return {object, state: 'gone', missing: 'object'}
  } catch (error) {
    if (isApiError(error, 404)) return {object, state: 'gone', missing: 'object'}
    if (!isApiError(error, ...REFUSALS)) throw error
    return {object, state: 'refused', message: error.serverMessage ?? error.message}
  }
}

/**
 * Returns the fields that the API server would have to take from other managers; it reports them only without
 * force.
 */
async function conflicts(patch: Patch): Promise<readonly FieldConflict[]> {
  try {
    await apply(patch.client, patch, false)
    return []
  } catch (error) {
    if (!isApiError(error, 409)) throw error
    return conflictsIn(error)
  }
}
