import type {Secret} from 'kubernetes-types/core/v1.js'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import {readObject, requestText, resourcePath, SECRETS} from '../api/resources.ts'
import type {Metadata, Served} from '../api/served.ts'
import {decodePayload, withChanges} from './payload.ts'
import {
  allRecords,
  HELM_RECORD_SELECTOR,
  lastRecords,
  readRecord,
  recordChanged,
  recordName,
  type SecretMetadata,
} from './record.ts'
import type {EveryRecord, ReleaseRecord, StoredRelease} from './release-record.ts'

/**
 * Helm's records: Secrets in the namespace of each release. Every function throws like those of `Cluster`.
 */
export interface Records {
  /** Returns the last revision of every release, on the cluster or in one namespace: one list of metadata. */
  list(namespace?: string): Promise<readonly ReleaseRecord[]>
  /**
   * Returns every revision that helm keeps, of one release, of a namespace or of all, by metadata alone;
   * those of a release are ascending.
   */
  revisions(of?: ReleaseId | {readonly namespace: string}): Promise<readonly ReleaseRecord[]>
  /** Returns every revision of every release, and the Secrets of helm's type that belong to none. */
  every(): Promise<EveryRecord>
  /**
   * Returns the last revision of one release, by metadata alone; without a list if it is the expected one (0:
   * none).
   */
  last(release: ReleaseId, expected?: number): Promise<ReleaseRecord | undefined>
  /** Returns one revision with its payload. Defaults to the last. Throws `KK_RECORD` if it cannot be read. */
  stored(release: ReleaseId, revision?: number): Promise<StoredRelease | undefined>
  /** Patches labels of a record with its resourceVersion; `null` removes a label. Throws `KK_RACED`. */
  label(record: ReleaseRecord, labels: Readonly<Record<string, string | null>>): Promise<void>
  /**
   * Returns the time of a record's last write, by the API server's clock, in milliseconds since the epoch.
   */
  writtenAt(record: ReleaseRecord): Promise<number | undefined>
  /**
   * Writes `failed` and a description into a record, so that helm can continue with it, and marks these hooks
   * of it, such as `Job/migrate`, as failed; the rest does not change. Throws `KK_RACED`, `KK_RECORD`.
   */
  markFailed(record: ReleaseRecord, description: string, hooks?: readonly string[]): Promise<ReleaseRecord>
}

/** Returns the last revision of a release that is deployed, with its payload. */
export async function lastDeployed(records: Records, release: ReleaseId): Promise<StoredRelease | undefined> {
  const deployed = (await records.revisions(release)).findLast(({status}) => status === 'deployed')
  return deployed && records.stored(release, deployed.revision)
}

export function openRecords(client: ApiClient): Records {
  return {
    list: async (namespace) => lastRecords(await listSecrets(client, {namespace})),
    async revisions(of) {
      if (typeof of === 'object') return allRecords(await listSecrets(client, of))
      return allRecords(await listReleaseSecrets(client, of), of)
    },
    every: () => listEveryRecord(client),
    last: (release, expected) => readLast(client, release, expected),
    stored: (release, revision) => readStored(client, release, revision),
    label: (record, labels) => patchLabels(client, record, labels),
    writtenAt: (record) => writtenAt(client, record),
    markFailed: (record, description, hooks) => markFailed(client, record, {description, hooks}),
  }
}

/**
 * Returns the last revision. A list waits for the API server's cache, up to a tenth of a second; a read of
 * one object does not. Helm numbers revisions in sequence: a revision is the last if the next does not exist.
 */
async function readLast(
  client: ApiClient,
  release: ReleaseId,
  expected?: number,
): Promise<ReleaseRecord | undefined> {
  if (expected !== undefined) {
    const revisions = expected === 0 ? [1] : [expected + 1, expected]
    const [next, record] = await Promise.all(revisions.map((each) => readMetadata(client, release, each)))
    const isKnown = expected === 0 || record?.metadata.labels?.owner === 'helm'
    if (!next && isKnown) return record && readRecord(record)
  }
  return lastRecords(await listReleaseSecrets(client, release)).find((record) => record.release === release)
}

function readMetadata(
  client: ApiClient,
  release: ReleaseId,
  revision: number,
): Promise<SecretMetadata | undefined> {
  return readObject<SecretMetadata>(client, SECRETS, {
    namespace: releaseNamespace(release),
    name: recordName(releaseName(release), revision),
    accept: METADATA,
  })
}

function listReleaseSecrets(
  client: ApiClient,
  release: ReleaseId | undefined,
): Promise<readonly SecretMetadata[]> {
  if (release === undefined) return listSecrets(client, {})
  return listSecrets(client, {namespace: releaseNamespace(release), name: releaseName(release)})
}

/** Returns the metadata of helm's Secrets: of all namespaces or one, of all releases or those of a name. */
async function listSecrets(
  client: ApiClient,
  {namespace, name}: {readonly namespace?: string | undefined; readonly name?: string},
): Promise<readonly SecretMetadata[]> {
  const {items} = await listAll<SecretMetadata>(client, {
    path: namespace === undefined ? '/api/v1/secrets' : resourcePath(SECRETS, namespace),
    query: {
      labelSelector: name === undefined ? 'owner=helm' : `owner=helm,name=${name}`,
      ...HELM_RECORD_SELECTOR,
    },
    accept: METADATA_LIST,
    summary:
      namespace === undefined
        ? 'list secrets in all namespaces for the records of helm'
        : requestText('list', SECRETS, namespace),
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

/**
 * Patches labels by a merge patch with the resourceVersion: it is refused if the record has changed since it
 * was read.
 */
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
      summary: requestText('patch', SECRETS, namespace, name),
    })
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    throw recordChanged(record, error)
  }
}

const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'

/**
 * Returns the time at which the record was last written, by the API server's clock, in milliseconds since the
 * epoch. Helm's own labels do not show it: they hold the time of the machine that ran helm, and a new
 * revision inherits them.
 */
async function writtenAt(client: ApiClient, record: ReleaseRecord): Promise<number | undefined> {
  const at = {namespace: releaseNamespace(record.release), name: record.secret.name, accept: METADATA}
  const secret = await readObject<{readonly metadata: Metadata}>(client, SECRETS, at)
  const {creationTimestamp, managedFields = []} = secret?.metadata ?? {}
  const times = [creationTimestamp, ...managedFields.map(({time}) => time)]
  const valid = times.map((time) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time))
  return valid.length === 0 ? undefined : Math.max(...valid)
}

/**
 * Returns every Secret of helm's type, whatever its labels: helm ignores those without labels, but their
 * releases may be in use.
 */
export async function listEveryRecord(client: ApiClient): Promise<EveryRecord> {
  const {items} = await listAll<SecretMetadata>(client, {
    path: '/api/v1/secrets',
    query: HELM_RECORD_SELECTOR,
    accept: METADATA_LIST,
    summary: 'list secrets in all namespaces for the records of helm',
  })
  const strays = items.filter(isStray)
  return {
    records: allRecords(items.filter((secret) => !isStray(secret))),
    strays: strays.map(({metadata}) => `${metadata.namespace}/${metadata.name}`).sort(),
  }
}

function isStray(secret: SecretMetadata): boolean {
  const {owner, status} = secret.metadata.labels ?? {}
  return readRecord(secret) === undefined || owner !== 'helm' || status === undefined
}

type StoredSecret = SecretMetadata & Served<Secret>

/**
 * Marks a revision as failed in the payload and in the label, as helm's own code does (Helm 4.2:
 * storage/driver/secrets.go Update), for a helm process that was killed before it did so. It writes with the
 * resourceVersion, so that it does not overwrite a change by a running helm process. Throws `KK_RACED`,
 * `KK_RECORD`.
 */
async function markFailed(
  client: ApiClient,
  record: ReleaseRecord,
  {description, hooks = []}: {readonly description: string; readonly hooks?: readonly string[] | undefined},
): Promise<ReleaseRecord> {
  const at = {namespace: releaseNamespace(record.release), name: record.secret.name}
  const secret = await readObject<StoredSecret>(client, SECRETS, at)
  const {uid, resourceVersion} = record.secret
  if (secret?.metadata.uid !== uid || secret.metadata.resourceVersion !== resourceVersion)
    throw recordChanged(record)
  const labels = {
    ...secret.metadata.labels,
    status: 'failed',
    modifiedAt: String(Math.floor(client.now() / 1000)),
  }
  const release = withChanges(record, secret.data?.release, {
    info: {status: 'failed', description},
    failedHooks: hooks,
  })
  try {
    const written = await client.json<SecretMetadata>({
      method: 'PUT',
      path: resourcePath(SECRETS, at.namespace, at.name),
      body: {...secret, metadata: {...secret.metadata, labels}, data: {...secret.data, release}},
      summary: requestText('update', SECRETS, at.namespace, at.name),
    })
    return readRecord(written)!
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    throw recordChanged(record, error)
  }
}
