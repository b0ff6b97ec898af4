import {KkError} from '../../base/errors.ts'
import {type ReleaseId, releaseId} from '../../release.ts'
import type {Identity} from '../api/served.ts'
import type {ReleaseRecord} from './release-record.ts'

/** A Secret as `PartialObjectMetadata`. */
export interface SecretMetadata {
  readonly metadata: Identity
}

/** Selects helm's records by the type of their Secrets. */
export const HELM_RECORD_SELECTOR = {fieldSelector: 'type=helm.sh/release.v1'}

/** Matches helm's record names: `sh.helm.release.v1.NAME.vREVISION` (Helm 4.2: storage.go makeKey). */
const RECORD_NAME = /^sh\.helm\.release\.v1\.(?<release>.+)\.v(?<revision>\d+)$/

export function recordName(release: string, revision: number): string {
  return `sh.helm.release.v1.${release}.v${revision}`
}

/** Returns the record in a Secret; undefined for a Secret that helm did not write. */
export function readRecord({metadata}: SecretMetadata): ReleaseRecord | undefined {
  const named = RECORD_NAME.exec(metadata.name)?.groups
  if (named === undefined) return undefined
  const {name, namespace, uid, resourceVersion, creationTimestamp: createdAt, labels = {}} = metadata
  return {
    release: releaseId(namespace, named.release!),
    revision: Number(named.revision),
    status: labels.status ?? 'unknown',
    labels,
    secret: {name, uid, resourceVersion, ...(createdAt !== undefined && {createdAt})},
  }
}

/** Returns false for a release whose objects are gone, or are being deleted. */
export function isInstalled({status}: Pick<ReleaseRecord, 'status'>): boolean {
  return status !== 'uninstalling' && status !== 'uninstalled'
}

/** Returns the last revision of each release, in the order of their ids. */
export function lastRecords(secrets: readonly SecretMetadata[]): ReleaseRecord[] {
  const last = new Map<ReleaseId, ReleaseRecord>()
  for (const record of secrets.map(readRecord)) {
    if (record && record.revision > (last.get(record.release)?.revision ?? 0))
      last.set(record.release, record)
  }
  return [...last.values()].sort((one, other) => (one.release < other.release ? -1 : 1))
}

/** Returns every revision of one release, or of each; by release, then ascending. */
export function allRecords(secrets: readonly SecretMetadata[], release?: ReleaseId): ReleaseRecord[] {
  return secrets
    .flatMap((secret) => readRecord(secret) ?? [])
    .filter((record) => release === undefined || record.release === release)
    .sort((one, other) => {
      if (one.release !== other.release) return one.release < other.release ? -1 : 1
      return one.revision - other.revision
    })
}

/** Returns `KK_RACED` for a record that has changed since it was read. */
export function recordChanged({release, revision}: ReleaseRecord, cause?: unknown): KkError {
  return new KkError('KK_RACED', `${release} changed after revision ${revision} was read`, {
    cause,
    hint: 'another process works on this release; run kk again when it has finished',
  })
}

/** Returns the last revision of each release; the input is ascending. */
export function lastRevisions<T extends ReleaseRecord>(revisions: readonly T[]): ReadonlyMap<ReleaseId, T> {
  return new Map(revisions.map((record) => [record.release, record]))
}
