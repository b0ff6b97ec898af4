import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA, METADATA_LIST} from '../api/list.ts'
import {
  CLAIMS,
  NAMESPACES,
  type Resource,
  readObject,
  requestText,
  resourcePath,
  SECRETS,
  STATEFUL_SETS,
} from '../api/resources.ts'
import {annotatedRelease} from '../manifest/helm-annotations.ts'
import {claimsOf, type ObjectMetadata, releaseOfClaim, type StatefulSet} from './claims.ts'
import type {ApprovedObject, GuardParameters} from './guard.ts'

/** Returns the claims that StatefulSets of these releases create, with their releases. */
export async function listClaimReleases(
  client: ApiClient,
  releases: readonly ReleaseId[],
): Promise<ReadonlyMap<string, ReleaseId>> {
  const claims = new Map<string, ReleaseId>()
  for (const namespace of new Set(releases.map(releaseNamespace))) {
    for (const set of await list<StatefulSet>(client, STATEFUL_SETS, namespace)) {
      const release = annotatedRelease(set.metadata, set.metadata.namespace)
      if (release === undefined || !releases.includes(release)) continue
      for (const claim of claimsOf(set)) claims.set(claim, release)
    }
  }
  return claims
}

/**
 * Returns the objects of a release whose deletion the guard denies: its StatefulSets, its claims, its
 * deployed records and, if requested, its namespace.
 */
export async function guardedObjects(
  client: ApiClient,
  release: ReleaseId,
  options: {readonly parameters: Pick<GuardParameters, 'claims'>; readonly namespace: boolean},
): Promise<readonly ApprovedObject[]> {
  const ofRelease = releaseNamespace(release)
  const [sets, claims, records, namespace] = await Promise.all([
    listMetadata(client, STATEFUL_SETS, ofRelease),
    listMetadata(client, CLAIMS, ofRelease),
    listMetadata(client, SECRETS, ofRelease, `owner=helm,status=deployed,name=${releaseName(release)}`),
    options.namespace ? readNamespace(client, ofRelease) : [],
  ])
  return [
    ...sets.filter((set) => annotatedRelease(set, set.namespace) === release).map(approved('StatefulSet')),
    ...claims
      .filter((claim) => releaseOfClaim(claim, options.parameters) === release)
      .map(approved('PersistentVolumeClaim')),
    ...records.map(approved('Secret')),
    ...namespace.map(approved('Namespace')),
  ]
}

function approved(kind: ApprovedObject['kind']): (metadata: ObjectMetadata) => ApprovedObject {
  return ({namespace = '', name, uid}) => ({kind, namespace, name, uid})
}

async function readNamespace(client: ApiClient, name: string): Promise<readonly ObjectMetadata[]> {
  const object = await readObject<{metadata: ObjectMetadata}>(client, NAMESPACES, {
    namespace: '',
    name,
    accept: METADATA,
  })
  return object ? [object.metadata] : []
}

async function listMetadata(
  client: ApiClient,
  resource: Resource,
  namespace: string,
  labelSelector?: string,
): Promise<readonly ObjectMetadata[]> {
  const {items} = await listAll<{metadata: ObjectMetadata}>(client, {
    path: resourcePath(resource, namespace),
    query: {labelSelector},
    accept: METADATA_LIST,
    summary: requestText('list', resource, namespace),
  })
  return items.map(({metadata}) => metadata)
}

async function list<T>(client: ApiClient, resource: Resource, namespace: string): Promise<readonly T[]> {
  const path = resourcePath(resource, namespace)
  return (await listAll<T>(client, {path, summary: requestText('list', resource, namespace)})).items
}
