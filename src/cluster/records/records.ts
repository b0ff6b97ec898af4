import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import {asking, readObject, resourcePath, SECRETS} from '../api/resources.ts'
import type {Cluster, ReleaseRecord, StoredRelease} from '../cluster.ts'
import {listEveryRecord} from './every-record.ts'
import {markFailed} from './mark-failed.ts'
import {decodePayload} from './payload.ts'
import {
  allRecords,
  lastRecords,
  readRecord,
  recordChanged,
  recordName,
  type SecretMetadata,
} from './record.ts'
import {writtenAt} from './written-at.ts'

type Records = Pick<
  Cluster,
  'records' | 'revisions' | 'everyRecord' | 'lastRecord' | 'stored' | 'label' | 'markFailed' | 'writtenAt'
>

const OF_HELM = {fieldSelector: 'type=helm.sh/release.v1'}

/** Helm's records of releases: Secrets in the namespace of each release. */
export function helmRecords(client: ApiClient): Records {
  return {
    records: async (namespace) => lastRecords(await listSecrets(client, {namespace})),
    async revisions(of) {
      if (typeof of === 'object') return allRecords(await listSecrets(client, of))
      return allRecords(await listOf(client, of), of)
    },
    everyRecord: () => listEveryRecord(client),
    lastRecord: (release) => readLast(client, release),
    stored: (release, revision) => readStored(client, release, revision),
    label: (record, labels) => patchLabels(client, record, labels),
    writtenAt: (record) => writtenAt(client, record),
    markFailed: (record, description) => markFailed(client, record, description),
  }
}

async function readLast(client: ApiClient, release: ReleaseId): Promise<ReleaseRecord | undefined> {
  return lastRecords(await listOf(client, release)).find((record) => record.release === release)
}

function listOf(client: ApiClient, release: ReleaseId | undefined): Promise<readonly SecretMetadata[]> {
  if (release === undefined) return listSecrets(client, {})
  return listSecrets(client, {namespace: releaseNamespace(release), name: releaseName(release)})
}

/** The metadata of helm's Secrets: of all namespaces or one, of all releases or those of a name. */
async function listSecrets(
  client: ApiClient,
  {namespace, name}: {readonly namespace?: string | undefined; readonly name?: string},
): Promise<readonly SecretMetadata[]> {
  const {items} = await listAll<SecretMetadata>(client, {
    path: namespace === undefined ? '/api/v1/secrets' : resourcePath(SECRETS, namespace),
    query: {
      labelSelector: name === undefined ? 'owner=helm' : `owner=helm,name=${name}`,
      ...OF_HELM,
    },
    accept: METADATA_LIST,
    asked:
      namespace === undefined
        ? 'list secrets in all namespaces, where helm keeps its records'
        : asking('list', SECRETS, namespace),
  })
  return items
}

async function readStored(
  client: ApiClient,
  release: ReleaseId,
  revision?: number,
): Promise<StoredRelease | undefined> {
  const wanted = revision ?? (await readLast(client, release))?.revision
  if (wanted === undefined) return undefined
  const secret = await readObject<SecretMetadata & {readonly data?: {readonly release?: string}}>(
    client,
    SECRETS,
    {
      namespace: releaseNamespace(release),
      name: recordName(releaseName(release), wanted),
    },
  )
  const record = secret && readRecord(secret)
  return record && decodePayload(record, secret?.data?.release)
}

/** A merge patch that names the resourceVersion is refused when the record has changed since it was read. */
async function patchLabels(
  client: ApiClient,
  record: ReleaseRecord,
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  const namespace = releaseNamespace(record.release)
  const {name, uid, resourceVersion} = record.secret
  try {
    await client.json({
      method: 'PATCH',
      path: resourcePath(SECRETS, namespace, name),
      contentType: 'application/merge-patch+json',
      body: {metadata: {uid, resourceVersion, labels}},
      asked: asking('patch', SECRETS, namespace, name),
    })
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    throw recordChanged(record, error)
  }
}
