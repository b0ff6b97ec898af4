import {isDeepStrictEqual} from 'node:util'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {CONFIG_MAPS, readObject} from '../api/resources.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import type {GuardParameters, GuardState} from './guard.ts'
import {policyObjects, unboundObjects} from './layout.ts'
import {GUARD_NAME, POLICIES} from './names.ts'
import {type ParameterConfigMap, parametersIn, STAMP_KEY} from './parameters.ts'
import {PARAMETERS, verdict} from './policies/probe.ts'

const NO_PARAMETERS: GuardParameters = {releases: [], claims: new Map(), approvals: []}
/** The effective fields of a policy or binding, to which the API server adds no defaults. */
const EFFECTIVE_FIELDS = [
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
      summary: `list the resources of ${POLICIES.apiVersion}`,
    })
    return resources.some(({name}) => name === POLICIES.plural)
  } catch (error) {
    if (isApiError(error, 404)) return false
    throw error
  }
}

export async function readParameters(client: ApiClient): Promise<GuardParameters | undefined> {
  const configMap = await readConfigMap(client)
  return configMap && parametersIn(configMap)
}

/** Returns the guard as it is; undefined if none of its objects exist, or it is bound to no namespace. */
export async function readState(client: ApiClient): Promise<GuardState | undefined> {
  const configMap = await readConfigMap(client)
  const parameters = configMap ? parametersIn(configMap) : NO_PARAMETERS
  const live = await Promise.all(
    unboundObjects().map(([resource, {metadata}]) =>
      readObject<KubernetesObject>(client, resource, {namespace: '', name: metadata.name}),
    ),
  )
  const allFaults = (wanted: typeof unboundObjects) =>
    wanted().flatMap(([, object], index) => listFaults(object, live[index]))
  const isAbsent = live.every((object) => object === undefined) || allFaults(unboundObjects).length === 0
  if (!configMap && isAbsent) return undefined
  return {
    parameters,
    resourceVersion: String(configMap?.metadata.resourceVersion ?? ''),
    faults: [
      ...(configMap ? [] : [`ConfigMap ${KK_NAMESPACE}/${GUARD_NAME} is missing`]),
      ...allFaults(() => policyObjects(parameters)),
    ],
    enforced: await isEnforced(client, configMap?.data?.[STAMP_KEY] ?? ''),
  }
}

async function isEnforced(client: ApiClient, stamp: string): Promise<boolean> {
  const denial = await verdict(client, PARAMETERS)
  return denial.outcome === 'unknown' || (denial.outcome === 'denied' && denial.message.includes(stamp))
}

function readConfigMap(client: ApiClient): Promise<ParameterConfigMap | undefined> {
  return readObject<ParameterConfigMap>(client, CONFIG_MAPS, {namespace: KK_NAMESPACE, name: GUARD_NAME})
}

function listFaults(wanted: KubernetesObject, live: KubernetesObject | undefined): readonly string[] {
  const name = `${wanted.kind} ${wanted.metadata.name}`
  if (!live) return [`${name} is missing`]
  return isDeepStrictEqual(effectiveFields(wanted), effectiveFields(live))
    ? []
    : [`${name} differs from this version of kk`]
}

function effectiveFields({spec}: KubernetesObject): readonly unknown[] {
  const {matchResources, ...fields} = spec as Readonly<Record<string, unknown>>
  const {namespaceSelector} = (matchResources ?? {}) as {readonly namespaceSelector?: unknown}
  return [namespaceSelector, ...EFFECTIVE_FIELDS.map((field) => fields[field])]
}
