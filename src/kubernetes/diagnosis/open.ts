import type {Lease} from 'kubernetes-types/coordination/v1.js'
import type * as core from 'kubernetes-types/core/v1.js'
import {type ReleaseId, releaseId} from '../../release.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import {LEASES, NAMESPACES, NODES, PODS, requestText, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import type {ObjectMetadata} from '../guard/claims.ts'
import {listStorageClasses} from '../inventory/inventory.ts'
import {annotatedRelease} from '../manifest/helm-annotations.ts'
import {HOOK} from '../manifest/helm-view.ts'
import {NODE_LEASES, type NodeClock, nodeClocks} from '../node-clocks.ts'
import {reviewAccess} from '../permissions/access.ts'
import {labelledName} from '../release-labels.ts'
import {listReservations} from '../reservations/reservations.ts'
import type {
  Diagnosis,
  SchedulableNode,
  SeenCertificates,
  SeenClaim,
  SeenHookJob,
  SeenNamespace,
} from './diagnosis.ts'

/** Returns the requests of `kk doctor` to the client's cluster. */
export function openDiagnosis(client: ApiClient, discovery: Discovery): Diagnosis {
  return {
    clockAhead: () => clockAhead(client),
    clocks: () => listClocks(client),
    user: () => readUser(client),
    may: (accesses) => reviewAccess(client, accesses),
    served: (apiVersion, kind) => discovery.find(apiVersion, kind),
    namespaces: () => listNamespaces(client),
    storageClasses: () => listStorageClasses(client),
    nodes: () => listSchedulableNodes(client),
    reservations: () => listReservations(client),
    claims: () => listAllClaims(client),
    mountedClaims: (namespace) => listMountedClaims(client, namespace),
    certificates: () => listCertificates(client),
    hookJobs: () => listHookJobs(client),
  }
}

async function readUser(client: ApiClient): Promise<string> {
  const review = await client.json<{readonly status?: {readonly userInfo?: {readonly username?: string}}}>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: {apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview'},
    summary: 'review who you are',
  })
  return review.status?.userInfo?.username ?? 'unknown'
}

/**
 * Returns the seconds by which this machine's clock is ahead of the API server's, by the header `Date` of a
 * response, which has whole seconds.
 */
export async function clockAhead(client: ApiClient): Promise<number> {
  await client.json({path: '/version', summary: 'read its time'})
  return Math.round((Date.now() - client.now()) / 1000)
}

async function listClocks(client: ApiClient): Promise<readonly NodeClock[]> {
  const {items} = await listAll<Served<Lease>>(client, {
    path: resourcePath(LEASES, NODE_LEASES),
    summary: requestText('list', LEASES, NODE_LEASES),
  })
  return nodeClocks(items)
}

async function listSchedulableNodes(client: ApiClient): Promise<readonly SchedulableNode[]> {
  const {items} = await listAll<Served<core.Node>>(client, {
    path: resourcePath(NODES, ''),
    summary: requestText('list', NODES, ''),
  })
  return items.map(({metadata: {name, labels = {}}, spec, status}) => ({
    name,
    labels,
    taints: spec?.taints ?? [],
    allocatable: status?.allocatable ?? {},
  }))
}

/**
 * Returns the namespaces. Every condition of a Namespace that is true delays its deletion (Kubernetes 1.36:
 * NamespaceConditionType).
 */
async function listNamespaces(client: ApiClient): Promise<readonly SeenNamespace[]> {
  const {items} = await listAll<Served<core.Namespace>>(client, {
    path: resourcePath(NAMESPACES, ''),
    summary: requestText('list', NAMESPACES, ''),
  })
  return items.map(({metadata, status}) => ({
    name: metadata.name,
    deletedAt: metadata.deletionTimestamp,
    hindrances: (status?.conditions ?? [])
      .filter(({status: holds}) => holds === 'True')
      .map(({type, message = ''}) => ({type, message})),
  }))
}

interface Listed {
  readonly metadata: ObjectMetadata
}

async function listAllClaims(client: ApiClient): Promise<readonly SeenClaim[]> {
  const {items} = await listAll<Listed>(client, {
    path: '/api/v1/persistentvolumeclaims',
    accept: METADATA_LIST,
    summary: 'list persistentvolumeclaims in all namespaces',
  })
  return items.map(({metadata}) => ({
    namespace: metadata.namespace,
    name: metadata.name,
    release: annotatedRelease(metadata, metadata.namespace) ?? labelledRelease(metadata),
    labels: metadata.labels ?? {},
  }))
}

function labelledRelease({namespace, labels = {}}: ObjectMetadata): ReleaseId | undefined {
  const name = labelledName(labels)
  return name === undefined ? undefined : releaseId(namespace, name)
}

async function listMountedClaims(client: ApiClient, namespace: string): Promise<ReadonlySet<string>> {
  const {items} = await listAll<Served<core.Pod>>(client, {
    path: resourcePath(PODS, namespace),
    summary: requestText('list', PODS, namespace),
  })
  const names = items.flatMap(({spec}) =>
    (spec?.volumes ?? []).flatMap(({persistentVolumeClaim}) => persistentVolumeClaim?.claimName ?? []),
  )
  return new Set(names.map((name) => `${namespace}/${name}`))
}

async function listCertificates(client: ApiClient): Promise<readonly SeenCertificates[]> {
  const {items} = await listAll<Listed & Served<core.Secret>>(client, {
    path: '/api/v1/secrets',
    query: {fieldSelector: 'type=kubernetes.io/tls'},
    summary: 'list secrets in all namespaces',
  })
  return items.map(({metadata, data = {}}) => ({
    kind: 'Secret',
    namespace: metadata.namespace,
    name: metadata.name,
    release: annotatedRelease(metadata, metadata.namespace),
    manager: metadata.annotations?.['cert-manager.io/certificate-name'],
    texts: ['tls.crt', 'ca.crt'].map((file) => Buffer.from(data[file] ?? '', 'base64').toString()),
  }))
}

async function listHookJobs(client: ApiClient): Promise<readonly SeenHookJob[]> {
  const {items} = await listAll<Listed>(client, {
    path: '/apis/batch/v1/jobs',
    accept: METADATA_LIST,
    summary: 'list jobs in all namespaces',
  })
  return items.flatMap(({metadata: {namespace, name, annotations}}) => {
    const hook = annotations?.[HOOK]
    return hook === undefined ? [] : [{namespace, name, hook}]
  })
}
