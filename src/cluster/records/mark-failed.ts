import {releaseNamespace} from '../../release.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {asking, readObject, resourcePath, SECRETS} from '../api/resources.ts'
import type {ReleaseRecord} from '../cluster.ts'
import {withInfo} from './payload.ts'
import {readRecord, recordChanged, type SecretMetadata} from './record.ts'

interface StoredSecret extends SecretMetadata {
  readonly data?: Readonly<Record<string, string>>
}

/**
 * What helm's own code does with a revision that failed, for a helm that could not: `failed` in the payload and in the
 * label (Helm 4.2: storage/driver/secrets.go Update). Under the resourceVersion, so that a helm that is at work after all
 * is not overwritten. Throws `KK_RACED`, `KK_RECORD`.
 */
export async function markFailed(
  client: ApiClient,
  record: ReleaseRecord,
  description: string,
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
  const release = withInfo(record, secret.data?.release, {status: 'failed', description})
  try {
    const written = await client.json<SecretMetadata>({
      method: 'PUT',
      path: resourcePath(SECRETS, at.namespace, at.name),
      body: {...secret, metadata: {...secret.metadata, labels}, data: {...secret.data, release}},
      asked: asking('update', SECRETS, at.namespace, at.name),
    })
    return readRecord(written)!
  } catch (error) {
    if (!isApiError(error, 404, 409)) throw error
    throw recordChanged(record, error)
  }
}
