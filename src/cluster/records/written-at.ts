import {releaseNamespace} from '../../release.ts'
import type {ApiClient} from '../api/client.ts'
import {readObject, SECRETS} from '../api/resources.ts'
import type {ReleaseRecord} from '../cluster.ts'

const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'

interface Written {
  readonly metadata: {
    readonly creationTimestamp?: string
    readonly managedFields?: readonly {readonly time?: string}[]
  }
}

/**
 * When the record was last written, by the clock of the API server, in milliseconds since the epoch. Helm's own labels
 * will not do: they are of the clock of whoever ran it, and a new revision inherits them.
 */
export async function writtenAt(client: ApiClient, record: ReleaseRecord): Promise<number | undefined> {
  const at = {namespace: releaseNamespace(record.release), name: record.secret.name, accept: METADATA}
  const secret = await readObject<Written>(client, SECRETS, at)
  const {creationTimestamp, managedFields = []} = secret?.metadata ?? {}
  const times = [creationTimestamp, ...managedFields.map(({time}) => time)]
  const known = times.map((time) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time))
  return known.length === 0 ? undefined : Math.max(...known)
}
