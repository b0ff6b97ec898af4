import type {Cluster, ReleaseRecord} from '../../cluster/cluster.ts'
import {evidenceOf, isUnfinished} from '../../plan/pending/evidence.ts'
import type {ObservedRecord} from '../../plan/pending/recovery.ts'
import type {ReleaseId} from '../../release.ts'

type Looked = Pick<Cluster, 'lease' | 'now' | 'lastRecord'>

/** Records with the evidence of who left them unfinished; only of the releases that are asked for, and only where it is needed. */
export async function observedRecords(
  cluster: Looked,
  records: readonly ReleaseRecord[],
  isConcerned: (release: ReleaseId) => boolean,
): Promise<readonly ObservedRecord[]> {
  const observed = await Promise.all(
    records.map((record) => (isConcerned(record.release) ? observedRecord(cluster, record) : record)),
  )
  return observed.filter((record) => record !== undefined)
}

/** Undefined when it has gone meanwhile. */
async function observedRecord(cluster: Looked, record: ReleaseRecord): Promise<ObservedRecord | undefined> {
  if (!isUnfinished(record)) return record
  const lease = await cluster.lease(record.release)
  const evidence = evidenceOf(record, lease, {now: cluster.now()})
  // A helm that is gone when its process is looked for may have been at work when the record was read.
  const now = await cluster.lastRecord(record.release)
  if (now?.secret.resourceVersion === record.secret.resourceVersion) return {...record, evidence}
  return now && observedRecord(cluster, now)
}
