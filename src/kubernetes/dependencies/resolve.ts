import {constants} from 'node:fs'
import {access, stat} from 'node:fs/promises'
import type * as batch from 'kubernetes-types/batch/v1.js'
import type * as core from 'kubernetes-types/core/v1.js'
import type {EndpointSlice} from 'kubernetes-types/discovery/v1.js'
import {KkError} from '../../base/errors.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listAll} from '../api/list.ts'
import {
  DAEMON_SETS,
  JOBS,
  PODS,
  type Resource,
  readObject,
  requestText,
  resourcePath,
} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {type DaemonSet, findCondition, type Pod} from '../gate/kinds/observed.ts'
import {type Dependency, type ResourceDependency, selector} from './dependency.ts'

/**
 * Returns the reason why a dependency is not met; undefined if it is met. Rejects if the API server cannot be
 * queried.
 */
export async function unmetReason(
  dependency: Dependency,
  context: DependencyContext,
): Promise<string | undefined> {
  const {client} = context
  switch (dependency.kind) {
    case 'service':
      return (await hasEndpoint(client, dependency)) ? undefined : 'it has no endpoint'
    case 'job': {
      const job = await readJob(client, dependency)
      if (job === undefined) return 'it does not exist'
      return isJobDone(job) ? undefined : 'it has not succeeded'
    }
    case 'jobs': {
      const jobs = await listSelected<Served<batch.Job>>(client, JOBS, dependency)
      if (jobs.length === 0) return 'there are none'
      const unfinished = jobs.filter((job) => !isJobDone(job)).length
      return unfinished === 0 ? undefined : `${unfinished} of ${jobs.length} have not succeeded`
    }
    case 'pod': {
      const pods = await listSelected<Pod>(client, PODS, dependency)
      return podProblem(dependency.sameNode ? onNode(pods, await ownPod(context)) : pods)
    }
    case 'daemonset':
      return daemonSetProblem(dependency, context)
    case 'container': {
      const own = await ownPod(context)
      const status = own.status?.containerStatuses?.find(({name}) => name === dependency.name)
      return status?.ready ? undefined : 'it is not ready'
    }
    case 'resource':
      return resourceProblem(dependency, context)
    case 'socket':
      return (await isReadableSocket(dependency.path)) ? undefined : 'it cannot be read'
  }
}

function podProblem(pods: readonly Pod[]): string | undefined {
  if (pods.length === 0) return 'there is none'
  return pods.some(isPodReady) ? undefined : `none of ${pods.length} is ready`
}

/**
 * Returns the reason why the DaemonSet's pod on this node is not ready; undefined also for a node that the
 * DaemonSet does not cover.
 */
async function daemonSetProblem(
  {namespace, name}: {readonly namespace: string; readonly name: string},
  context: DependencyContext,
): Promise<string | undefined> {
  const daemonSet = await readObject<DaemonSet>(context.client, DAEMON_SETS, {namespace, name})
  if (daemonSet === undefined) return 'it does not exist'
  const pods = await listSelected<Pod>(context.client, PODS, {
    namespace,
    labels: daemonSet.spec?.selector?.matchLabels ?? {},
  })
  const onOwnNode = onNode(pods, await ownPod(context))
  return onOwnNode.every(isPodReady) ? undefined : 'its pod on this node is not ready'
}

function onNode(pods: readonly Pod[], own: Pod): readonly Pod[] {
  return pods.filter((pod) => pod.spec?.nodeName === own.spec?.nodeName)
}

async function ownPod({client, namespace, pod}: DependencyContext): Promise<Pod> {
  if (pod === undefined) throw new Error('POD_NAME is not set')
  const own = await readObject<Pod>(client, PODS, {namespace, name: pod})
  if (own === undefined) throw new Error(`the pod ${pod} does not exist in ${namespace}`)
  return own
}

async function isReadableSocket(path: string): Promise<boolean> {
  return access(path, constants.R_OK)
    .then(() => stat(path))
    .then(
      (found) => found.isSocket(),
      () => false,
    )
}

async function readJob(
  client: ApiClient,
  at: {readonly namespace: string; readonly name: string},
): Promise<Served<batch.Job> | undefined> {
  return readObject<Served<batch.Job>>(client, JOBS, at)
}

async function listSelected<T>(
  client: ApiClient,
  resource: Resource,
  {namespace, labels}: {readonly namespace: string; readonly labels: Readonly<Record<string, string>>},
): Promise<readonly T[]> {
  const {items} = await listAll<T>(client, {
    path: resourcePath(resource, namespace),
    query: {labelSelector: selector(labels)},
    summary: requestText('list', resource, namespace),
  })
  return items
}

/** Whether the Job has succeeded at least once. */
function isJobDone({status}: Served<batch.Job>): boolean {
  return (status?.succeeded ?? 0) > 0
}

function isPodReady(pod: Pod): boolean {
  return findCondition(pod, 'Ready')?.status === 'True'
}

/** Returns the reason why an object does not match; undefined if it matches. */
async function resourceProblem(
  {apiVersion, of, namespace, name, fields, conditions}: ResourceDependency,
  {client, discovery}: Pick<DependencyContext, 'client' | 'discovery'>,
): Promise<string | undefined> {
  const resource = await discovery.find(apiVersion, of)
  if (resource === undefined) return `the cluster has no ${apiVersion} ${of}`
  const object = await readObject<Parameters<typeof findCondition>[0]>(client, resource, {namespace, name})
  if (object === undefined) return 'it does not exist'
  for (const {key, value} of fields) {
    const actual = valueAt(object, key)
    if (String(actual) !== value) return `${key} is ${JSON.stringify(actual) ?? 'not set'}, not ${value}`
  }
  for (const {type, status} of conditions) {
    const actual = findCondition(object, type)
    if (actual?.status !== status) return `condition ${type} is ${actual?.status ?? 'not set'}, not ${status}`
  }
  return undefined
}

/** Returns the value at a path of keys such as `status.phase`. */
function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object)
}

const SLICES: Resource = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
}
const ENDPOINTS: Resource = {apiVersion: 'v1', kind: 'Endpoints', plural: 'endpoints', namespaced: true}

/**
 * Whether any pod of the Service is ready. Charts older than EndpointSlices grant access to Endpoints only.
 */
async function hasEndpoint(
  client: ApiClient,
  {namespace, name}: {readonly namespace: string; readonly name: string},
): Promise<boolean> {
  try {
    const {items} = await listAll<Served<EndpointSlice>>(client, {
      path: resourcePath(SLICES, namespace),
      query: {labelSelector: `kubernetes.io/service-name=${name}`},
      summary: requestText('list', SLICES, namespace),
    })
    return items.some(({endpoints}) => endpoints?.some(({conditions}) => conditions?.ready !== false))
  } catch (error) {
    if (!(error instanceof KkError && error.code === 'KK_FORBIDDEN')) throw error
    const endpoints = await readObject<Served<core.Endpoints>>(client, ENDPOINTS, {namespace, name})
    return endpoints?.subsets?.some(({addresses}) => (addresses?.length ?? 0) > 0) ?? false
  }
}

/** The pod that waits, and access to its cluster. */
export interface DependencyContext {
  readonly client: ApiClient
  readonly discovery: Discovery
  /** The namespace of the pod that waits. */
  readonly namespace: string
  readonly pod: string | undefined
}
