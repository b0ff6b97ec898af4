import {KkError} from '../../../base/errors.ts'
import {pollUntil} from '../../../base/poll.ts'
import {isApiError} from '../../api/api-error.ts'
import type {ApiClient} from '../../api/client.ts'
import {
  asking,
  CLAIMS,
  CONFIG_MAPS,
  NAMESPACES,
  type Resource,
  resourcePath,
  SECRETS,
  STATEFUL_SETS,
} from '../../api/resources.ts'
import {KK_NAMESPACE} from '../../lease/lease.ts'
import type {ApprovedObject} from '../guard.ts'
import {EXPIRY_NAME, GUARD_NAME} from '../names.ts'

/**
 * The guard's answer to a deletion. `unknown`: this user may not delete the object anyway, and so cannot learn the
 * answer.
 */
export type Verdict =
  | {readonly outcome: 'denied'; readonly said: string}
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
 * The time that is waited for a verdict: policies and parameters reach the admission of an API server within a second
 * or two, its clock within ten.
 */
const PATIENCE_MILLISECONDS = 15_000
export const PAUSE_MILLISECONDS = 100

/** The ConfigMap of the parameters: the guard always denies its deletion, and names the stamp that it has read. */
export const PARAMETERS: Target = {resource: CONFIG_MAPS, namespace: KK_NAMESPACE, name: GUARD_NAME}
/** A ConfigMap that may be deleted until the time on its label: it shows whether the clock runs. */
export const CLOCK_FACE: Target = {resource: CONFIG_MAPS, namespace: KK_NAMESPACE, name: EXPIRY_NAME}

export function targetOf({kind, namespace, name}: ApprovedObject): Target {
  return {resource: RESOURCES[kind], namespace, name}
}

/**
 * Returns whether the guard would let the object be deleted, by a dry run, which passes through admission like a real
 * deletion.
 */
export async function verdict(client: ApiClient, {resource, namespace, name}: Target): Promise<Verdict> {
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(resource, namespace, name),
      query: {dryRun: 'All'},
      asked: asking('delete (in a dry run)', resource, namespace, name),
    })
    return {outcome: 'allowed'}
  } catch (error) {
    if (isApiError(error, 404)) return {outcome: 'allowed'}
    if (!isApiError(error, 403, 422)) throw error
    const {said = ''} = error
    return isGuardsDenial(said) ? {outcome: 'denied', said} : {outcome: 'unknown'}
  }
}

/** Whether a message of an API server, or of helm or kubectl that repeats it, is a denial by the guard. */
function isGuardsDenial(said: string): boolean {
  return said.includes(`ValidatingAdmissionPolicy '${GUARD_NAME}`)
}

/** Asks again until the verdict is as wanted, or unknown. Throws the error that `late` makes if that takes too long. */
export async function awaitVerdict(
  client: ApiClient,
  target: Target,
  isWanted: (verdict: Verdict) => boolean,
  late: () => KkError,
): Promise<void> {
  const isGiven = async () => {
    const found = await verdict(client, target)
    return found.outcome === 'unknown' || isWanted(found)
  }
  const polling = {interval: PAUSE_MILLISECONDS, deadline: Date.now() + PATIENCE_MILLISECONDS}
  if (!(await pollUntil(isGiven, polling))) throw late()
}

/** Returns the error for an API server that does not see what was written, which it reports in no other way. */
export function blind(what: string): KkError {
  return new KkError('KK_GUARD', `the API server does not see ${what}`, {
    hint: 'some do not after a policy with parameters was deleted (kubernetes issue 130887): restart the API servers, then run the same command again',
  })
}
