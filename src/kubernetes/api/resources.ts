import {isApiError} from './api-error.ts'
import type {ApiClient} from './client.ts'

/** The path elements of a kind's objects in the API. */
export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  /** The plural in paths, e.g. `deployments`. */
  readonly plural: string
  readonly namespaced: boolean
  /** Whether it has the subresource `status`, which its controller writes. */
  readonly hasStatus?: true
}

/** Returns the path of a collection or, with a name, of one object. */
export function resourcePath(resource: Resource, namespace: string, name?: string): string {
  const {apiVersion, plural, namespaced} = resource
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const collection = namespaced
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
    : `${root}/${plural}`
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`
}

/** Returns a request as a verb and its object, e.g. `list pods in namespace openstack`. */
export function requestText(verb: string, resource: Resource, namespace: string, name?: string): string {
  const what = name === undefined ? resource.plural : `${resource.plural}/${name}`
  return resource.namespaced ? `${verb} ${what} in namespace ${namespace}` : `${verb} ${what}`
}

export const SECRETS: Resource = {apiVersion: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true}
export const CONFIG_MAPS: Resource = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}
export const NAMESPACES: Resource = {
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
}
export const NODES: Resource = {apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false}
export const PODS: Resource = {apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true}
export const JOBS: Resource = {apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs', namespaced: true}
export const DEPLOYMENTS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
}
export const STATEFUL_SETS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
}
export const DAEMON_SETS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
}
export const REPLICA_SETS: Resource = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
}
export const REPLICATION_CONTROLLERS: Resource = {
  apiVersion: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
}
export const SERVICES: Resource = {apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true}
export const CRON_JOBS: Resource = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
}
export const EVENTS: Resource = {apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true}
export const LEASES: Resource = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
}
export const CLAIMS: Resource = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
}
export const VOLUMES: Resource = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
}

/** Returns the object; undefined if it does not exist. */
export async function readObject<T>(
  client: ApiClient,
  resource: Resource,
  at: {
    readonly namespace: string
    readonly name: string
    readonly accept?: string
    readonly signal?: AbortSignal | undefined
    readonly timeout?: number
  },
): Promise<T | undefined> {
  try {
    return await client.json<T>({
      path: resourcePath(resource, at.namespace, at.name),
      summary: requestText('get', resource, at.namespace, at.name),
      ...(at.accept && {accept: at.accept}),
      ...(at.timeout && {timeout: at.timeout}),
      signal: at.signal,
    })
  } catch (error) {
    if (isApiError(error, 404)) return undefined
    throw error
  }
}
