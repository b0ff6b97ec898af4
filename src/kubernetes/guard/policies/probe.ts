import {KkError} from '../../../base/errors.ts'
import {pollUntil} from '../../../base/poll.ts'
import {isApiError} from '../../api/api-error.ts'
import type {ApiClient} from '../../api/client.ts'
import {
  CLAIMS,
  CONFIG_MAPS,
  NAMESPACES,
  type Resource,
  requestText,
  resourcePath,
  SECRETS,
  STATEFUL_SETS,
} from '../../api/resources.ts'
import {KK_NAMESPACE} from '../../lease/lease.ts'
import type {ApprovedObject} from '../guard.ts'
import {EXPIRY_NAME, GUARD_NAME} from '../names.ts'

/**
 * The guard's verdict on a deletion. `unknown`: this user may not delete the object anyway, and so cannot
 * test it.
 */
export type Verdict =
  | {readonly outcome: 'denied'; readonly message: string}
  | {readonly outcome: 'allowed' | 'unknown'}

export interface Target {
  readonly resource: Resource
  readonly namespace: string
  readonly name: string
}

const RESOURCES = {
  StatefulSet: STATEFUL_SETS,
  PersistentVolumeClaim: CLAIMS,
  Secret: SECRETS,
  Namespace: NAMESPACES,
} as const satisfies Record<ApprovedObject['kind'], Resource>

/**
 * The timeout of a verdict: policies and parameters reach the admission of an API server within a second or
 * two, its clock within ten.
 */
const VERDICT_TIMEOUT_MS = 15_000
export const POLL_INTERVAL_MS = 100

/**
 * The ConfigMap of the parameters: the guard always denies its deletion, and quotes the stamp that it has
 * read.
 */
export const PARAMETERS: Target = {resource: CONFIG_MAPS, namespace: KK_NAMESPACE, name: GUARD_NAME}
/** A ConfigMap that may be deleted until the time on its label: it shows whether the clock runs. */
export const CLOCK_CONFIG_MAP: Target = {resource: CONFIG_MAPS, namespace: KK_NAMESPACE, name: EXPIRY_NAME}

export function approvalTarget({kind, namespace, name}: ApprovedObject): Target {
  return {resource: RESOURCES[kind], namespace, name}
}

/**
 * Returns whether the guard allows the deletion of the object, by a dry run, which passes admission like a
 * real deletion.
 */
export async function verdict(client: ApiClient, {resource, namespace, name}: Target): Promise<Verdict> {
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(resource, namespace, name),
      query: {dryRun: 'All'},
      summary: requestText('delete (in a dry run)', resource, namespace, name),
    })
    return {outcome: 'allowed'}
  } catch (error) {
    if (isApiError(error, 404)) return {outcome: 'allowed'}
    if (!isApiError(error, 403, 422)) throw error
    const {serverMessage: message = ''} = error
    return isGuardsDenial(message) ? {outcome: 'denied', message} : {outcome: 'unknown'}
  }
}

/** Whether a message of an API server, or of helm or kubectl that repeats it, is a denial by the guard. */
function isGuardsDenial(message: string): boolean {
  return message.includes(`ValidatingAdmissionPolicy '${GUARD_NAME}`)
}

/** Polls until the verdict is as expected, or unknown. Throws the error of `late` at the timeout. */
export async function awaitVerdict(
  client: ApiClient,
  target: Target,
  isExpected: (verdict: Verdict) => boolean,
  late: () => KkError,
): Promise<void> {
  const isReached = async () => {
    const current = await verdict(client, target)
    return current.outcome === 'unknown' || isExpected(current)
  }
  const polling = {interval: POLL_INTERVAL_MS, deadline: Date.now() + VERDICT_TIMEOUT_MS}
  if (!(await pollUntil(isReached, polling))) throw late()
}

/**
 * Returns the error for an API server that does not see a written object; the API server itself reports no
 * error.
 */
export function notVisible(what: string): KkError {
  return new KkError('KK_GUARD', `the API server does not see ${what}`, {
    hint: 'some do not after a policy with parameters was deleted (kubernetes issue 130887): restart the API servers, then run the same command again',
  })
}
