import type {ApiClient} from '../api/client.ts'
import {listAll, METADATA_LIST} from '../api/list.ts'
import type {EveryRecord} from '../cluster.ts'
import {allRecords, readRecord, type SecretMetadata} from './record.ts'

/**
 * Every Secret of helm's type, whatever its labels: helm itself passes over those that have lost them, and the release
 * behind them may be in use all the same.
 */
export async function listEveryRecord(client: ApiClient): Promise<EveryRecord> {
  const {items} = await listAll<SecretMetadata>(client, {
    path: '/api/v1/secrets',
    query: {fieldSelector: 'type=helm.sh/release.v1'},
    accept: METADATA_LIST,
    asked: 'list secrets in all namespaces, where helm keeps its records',
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
