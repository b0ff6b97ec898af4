import type {Cluster, ReleaseRecord} from '../../cluster/cluster.ts'
import {evidenceOf, isUnfinished, type ObservedRecord} from '../../plan/pending/evidence.ts'
import type {ReleaseId} from '../../release.ts'

type Looked = Pick<Cluster, 'lease' | 'now'>

/** Records with the evidence of who left them unfinished; only of the releases that are asked for, and only where it is needed. */
export async function observedRecords(
  cluster: Looked & Pick<Cluster, 'lastRecord'>,
  records: readonly ReleaseRecord[],
  isConcerned: (release: ReleaseId) => boolean,
): Promise<readonly ObservedRecord[]> {
  const observed = await Promise.all(
    records.map((record) => (isConcerned(record.release) ? settledRecord(cluster, record) : record)),
  )
  return observed.filter((record) => record !== undefined)
}

/**
 * A helm that is gone when its process is looked for may have been at work when the record was read: it is read again.
 * Undefined when it has gone meanwhile.
 */
async function settledRecord(
  cluster: Looked & Pick<Cluster, 'lastRecord'>,
  record: ReleaseRecord,
): Promise<ObservedRecord | undefined> {
  if (!isUnfinished(record)) return record
  const observed = await observedRecord(cluster, record)
  const now = await cluster.lastRecord(record.release)
  if (now?.secret.resourceVersion === record.secret.resourceVersion) return observed
  return now && settledRecord(cluster, now)
}

/** One last record with its evidence, where it is unfinished. */
async function observedRecord(cluster: Looked, record: ReleaseRecord): Promise<ObservedRecord> {
  if (!isUnfinished(record)) return record
  const lease = await cluster.lease(record.release)
  return {...record, evidence: evidenceOf(record, lease, {now: cluster.now()})}
}

/** The same of every revision: only the last of a release can be unfinished. The input is ascending. */
export async function observedRevisions(
  cluster: Looked,
  revisions: readonly ReleaseRecord[],
): Promise<readonly ObservedRecord[]> {
  const last = new Set(new Map(revisions.map((record) => [record.release, record])).values())
  return Promise.all(revisions.map((record) => (last.has(record) ? observedRecord(cluster, record) : record)))
}
