import {KkError} from '../../base/errors.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {CONFIG_MAPS, requestText, resourcePath} from '../api/resources.ts'
import {createNamespace, KK_NAMESPACE} from '../lease/lease.ts'
import {applyObject, deleteObject} from '../objects/objects.ts'
import type {Approval, GuardParameters} from './guard.ts'
import {policyObjects, unboundObjects} from './layout.ts'
import {EXPIRY_NAME, GUARD_NAME, UNTIL_LABEL} from './names.ts'
import {parameterConfigMap} from './parameters.ts'
import {awaitClock, awaitEnforcement} from './policies/enforcement.ts'
import {approvalTarget, awaitVerdict, CLOCK_CONFIG_MAP, notVisible, PARAMETERS} from './policies/probe.ts'

/**
 * Writes a guard and returns when it is enforced; a new guard that the API server does not see is removed
 * again.
 */
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
    // Without its parameters it would deny every request forever.
    const isNotVisible = error instanceof KkError && error.code === 'KK_GUARD'
    if (isNotVisible && !resourceVersion) await removeGuard(client)
    throw error
  }
}

/** Writes the labels first: without the approval in the parameters they allow nothing. */
export async function writeApprovals(
  client: ApiClient,
  approvals: readonly Approval[],
  parameters: GuardParameters,
  resourceVersion: string,
): Promise<void> {
  await awaitClock(client)
  for (const {objects, expires} of approvals) {
    for (const object of objects) {
      const {resource, namespace, name} = approvalTarget(object)
      await client.json({
        method: 'PATCH',
        path: resourcePath(resource, namespace, name),
        contentType: 'application/merge-patch+json',
        body: {metadata: {uid: object.uid, labels: {[UNTIL_LABEL]: String(expires)}}},
        summary: requestText('patch', resource, namespace, name),
      })
    }
  }
  await writeParameters(client, parameters, resourceVersion)
  for (const target of approvals.flatMap(({objects}) => objects.map(approvalTarget))) {
    const late = () => notVisible(`the approval to delete ${target.resource.kind} ${target.name}`)
    await awaitVerdict(client, target, ({outcome}) => outcome === 'allowed', late)
  }
}

/** Binds the policies to no namespace, so that they deny nothing, and deletes the rest. */
export async function removeGuard(client: ApiClient): Promise<void> {
  for (const [resource, object] of unboundObjects())
    await applyObject(client, resource, object, {manager: 'kk'})
  const late = () => notVisible('that the guard is removed')
  for (const target of [PARAMETERS, CLOCK_CONFIG_MAP])
    await awaitVerdict(client, target, ({outcome}) => outcome === 'allowed', late)
  for (const name of [GUARD_NAME, EXPIRY_NAME])
    await deleteObject(client, CONFIG_MAPS, {namespace: KK_NAMESPACE, name})
}

/**
 * Creates the ConfigMap, or replaces the one of that resourceVersion, and returns its stamp. Throws
 * `KK_RACED`.
 */
async function writeParameters(
  client: ApiClient,
  parameters: GuardParameters,
  resourceVersion = '',
): Promise<string> {
  const isNew = resourceVersion === ''
  const stamp = new Date().toISOString()
  const {metadata, ...rest} = parameterConfigMap(parameters, stamp)
  try {
    await client.json({
      method: isNew ? 'POST' : 'PUT',
      path: resourcePath(CONFIG_MAPS, KK_NAMESPACE, isNew ? undefined : GUARD_NAME),
      body: {...rest, metadata: isNew ? metadata : {...metadata, resourceVersion}},
      summary: requestText(isNew ? 'create' : 'update', CONFIG_MAPS, KK_NAMESPACE, GUARD_NAME),
    })
    return stamp
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    throw new KkError('KK_RACED', 'another client changed the guard in the meantime', {
      cause: error,
      hint: 'run the same command again: kk reads the guard first',
    })
  }
}
