import {KkError} from '../../base/errors.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {asking, CONFIG_MAPS, resourcePath} from '../api/resources.ts'
import {createNamespace, KK_NAMESPACE} from '../lease/lease.ts'
import {applyObject, deleteObject} from '../objects/objects.ts'
import type {Approval, GuardParameters} from './guard.ts'
import {policyObjects, restingObjects} from './layout.ts'
import {EXPIRY_NAME, GUARD_NAME, UNTIL_LABEL} from './names.ts'
import {configMapOf} from './parameters.ts'
import {awaitClock, awaitEnforcement} from './policies/enforcement.ts'
import {awaitVerdict, blind, CLOCK_FACE, PARAMETERS, targetOf} from './policies/probe.ts'

/** Writes a guard and returns once it is enforced; a new one that the API server does not see is removed again. */
export async function installGuard(
  client: ApiClient,
  parameters: GuardParameters,
  resourceVersion: string | undefined,
): Promise<void> {
  await createNamespace(client)
  const stamp = await writeParameters(client, parameters, resourceVersion)
  for (const [resource, object] of policyObjects(parameters))
    await applyObject(client, resource, object, {manager: 'kk'})
  try {
    await awaitEnforcement(client, parameters.releases, stamp)
  } catch (error) {
    // Without its parameters it would deny every request for ever.
    const isBlind = error instanceof KkError && error.code === 'KK_GUARD'
    if (isBlind && !resourceVersion) await removeGuard(client)
    throw error
  }
}

/** Writes the marks first: without the approval in the parameters they allow nothing. */
export async function writeApprovals(
  client: ApiClient,
  approvals: readonly Approval[],
  parameters: GuardParameters,
  resourceVersion: string,
): Promise<void> {
  await awaitClock(client)
  for (const {objects, expires} of approvals) {
    for (const object of objects) {
      const {resource, namespace, name} = targetOf(object)
      await client.json({
        method: 'PATCH',
        path: resourcePath(resource, namespace, name),
        contentType: 'application/merge-patch+json',
        body: {metadata: {uid: object.uid, labels: {[UNTIL_LABEL]: String(expires)}}},
        asked: asking('patch', resource, namespace, name),
      })
    }
  }
  await writeParameters(client, parameters, resourceVersion)
  for (const target of approvals.flatMap(({objects}) => objects.map(targetOf))) {
    const late = () => blind(`the approval to delete ${target.resource.kind} ${target.name}`)
    await awaitVerdict(client, target, ({outcome}) => outcome === 'allowed', late)
  }
}

/** Binds the policies to no namespace, so that nothing is denied any more, and deletes the rest. */
export async function removeGuard(client: ApiClient): Promise<void> {
  for (const [resource, object] of restingObjects())
    await applyObject(client, resource, object, {manager: 'kk'})
  const late = () => blind('that the guard is removed')
  for (const target of [PARAMETERS, CLOCK_FACE])
    await awaitVerdict(client, target, ({outcome}) => outcome === 'allowed', late)
  for (const name of [GUARD_NAME, EXPIRY_NAME])
    await deleteObject(client, CONFIG_MAPS, {namespace: KK_NAMESPACE, name})
}

/** Creates the ConfigMap, or replaces the one of that resourceVersion, and returns its stamp. Throws `KK_RACED`. */
async function writeParameters(
  client: ApiClient,
  parameters: GuardParameters,
  resourceVersion = '',
): Promise<string> {
  const isNew = resourceVersion === ''
  const stamp = new Date().toISOString()
  const {metadata, ...rest} = configMapOf(parameters, stamp)
  try {
    await client.json({
      method: isNew ? 'POST' : 'PUT',
      path: resourcePath(CONFIG_MAPS, KK_NAMESPACE, isNew ? undefined : GUARD_NAME),
      body: {...rest, metadata: isNew ? metadata : {...metadata, resourceVersion}},
      asked: asking(isNew ? 'create' : 'update', CONFIG_MAPS, KK_NAMESPACE, GUARD_NAME),
    })
    return stamp
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    throw new KkError('KK_RACED', 'somebody else changed the guard meanwhile', {
      cause: error,
      hint: 'run the same command again: kk looks at the guard first',
    })
  }
}
