import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listIntents} from '../intents/intents.ts'
import {reviewAccess} from '../permissions/access.ts'
import {clockAhead} from './clock.ts'
import type {Diagnosis} from './diagnosis.ts'
import {listAllClaims, listHookJobs, listMountedClaims} from './helm-objects.ts'
import {listNamespaces} from './namespaces.ts'
import {listSchedulableNodes} from './nodes.ts'
import {listStorageClasses} from './storage-classes.ts'

/** What `kk doctor` asks of the cluster that the client speaks to. */
export function openDiagnosis(client: ApiClient, discovery: Discovery): Diagnosis {
  return {
    clockAhead: () => clockAhead(client),
    user: () => readUser(client),
    may: (accesses) => reviewAccess(client, accesses),
    served: (apiVersion, kind) => discovery.find(apiVersion, kind),
    namespaces: () => listNamespaces(client),
    storageClasses: () => listStorageClasses(client),
    nodes: () => listSchedulableNodes(client),
    intents: () => listIntents(client),
    claims: () => listAllClaims(client),
    mountedClaims: (namespace) => listMountedClaims(client, namespace),
    hookJobs: () => listHookJobs(client),
  }
}

async function readUser(client: ApiClient): Promise<string> {
  const review = await client.json<{readonly status?: {readonly userInfo?: {readonly username?: string}}}>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: {apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview'},
    asked: 'tell who you are',
  })
  return review.status?.userInfo?.username ?? 'unknown'
}
