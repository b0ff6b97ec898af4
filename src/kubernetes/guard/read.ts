import {isDeepStrictEqual} from 'node:util'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {CONFIG_MAPS, readObject} from '../api/resources.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {GuardParameters, GuardState} from './guard.ts'
import {policyObjects, restingObjects} from './layout.ts'
import {GUARD_NAME, POLICIES} from './names.ts'
import {type ParameterConfigMap, parametersIn, STAMP_KEY} from './parameters.ts'
import {PARAMETERS, verdict} from './policies/probe.ts'

const NOTHING: GuardParameters = {releases: [], claims: new Map(), approvals: []}
/** The fields of a policy or binding that decide, and to which the API server adds no defaults. */
const DECISIVE = [
  'variables',
  'validations',
  'matchConditions',
  'failurePolicy',
  'validationActions',
  'paramRef',
]

export async function isSupported(client: ApiClient): Promise<boolean> {
  try {
    const {resources} = await client.json<{resources: readonly {readonly name: string}[]}>({
      path: `/apis/${POLICIES.apiVersion}`,
      asked: `list what ${POLICIES.apiVersion} has`,
    })
    return resources.some(({name}) => name === POLICIES.plural)
  } catch (error) {
    if (isApiError(error, 404)) return false
    throw error
  }
}

export async function readParameters(client: ApiClient): Promise<GuardParameters | undefined> {
  const found = await readConfigMap(client)
  return found && parametersIn(found)
}

/** Returns the guard as it is; undefined if nothing of it exists, or it is bound to no namespace. */
export async function readState(client: ApiClient): Promise<GuardState | undefined> {
  const found = await readConfigMap(client)
  const parameters = found ? parametersIn(found) : NOTHING
  const live = await Promise.all(
    restingObjects().map(([resource, {metadata}]) =>
      readObject<KubernetesObject>(client, resource, {namespace: '', name: metadata.name}),
    ),
  )
  const faultsFrom = (wanted: typeof restingObjects) =>
    wanted().flatMap(([, object], index) => faultsOf(object, live[index]))
  const isAbsent = live.every((object) => object === undefined) || faultsFrom(restingObjects).length === 0
  if (!found && isAbsent) return undefined
  return {
    parameters,
    resourceVersion: String(found?.metadata.resourceVersion ?? ''),
    faults: [
      ...(found ? [] : [`ConfigMap ${KK_NAMESPACE}/${GUARD_NAME} is missing`]),
      ...faultsFrom(() => policyObjects(parameters)),
    ],
    enforced: await isEnforced(client, found?.data?.[STAMP_KEY] ?? ''),
  }
}

async function isEnforced(client: ApiClient, stamp: string): Promise<boolean> {
  const found = await verdict(client, PARAMETERS)
  return found.outcome === 'unknown' || (found.outcome === 'denied' && found.said.includes(stamp))
}

function readConfigMap(client: ApiClient): Promise<ParameterConfigMap | undefined> {
  return readObject<ParameterConfigMap>(client, CONFIG_MAPS, {namespace: KK_NAMESPACE, name: GUARD_NAME})
}

function faultsOf(wanted: KubernetesObject, live: KubernetesObject | undefined): readonly string[] {
  const name = `${wanted.kind} ${wanted.metadata.name}`
  if (!live) return [`${name} is missing`]
  return isDeepStrictEqual(decisive(wanted), decisive(live))
    ? []
    : [`${name} is not as this version of kk writes it`]
}

function decisive({spec}: KubernetesObject): readonly unknown[] {
  const {matchResources, ...fields} = spec as Readonly<Record<string, unknown>>
  const {namespaceSelector} = (matchResources ?? {}) as {readonly namespaceSelector?: unknown}
  return [namespaceSelector, ...DECISIVE.map((field) => fields[field])]
}
