import type {Leases} from '../kubernetes/lease/leases.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import {
  evidenceOf,
  isUnfinished,
  isUnlabelled,
  type ObservedRecord,
  rollbackRun,
} from '../plan/pending/evidence.ts'
import {lostHooks} from '../plan/pending/recovery.ts'
import type {ReleaseId} from '../release.ts'

type LeasePorts = {readonly leases: Leases}

/**
 * Returns the records; unfinished ones of the concerned releases have evidence about the operation that left
 * them so.
 */
export async function observedRecords(
  cluster: LeasePorts & {readonly records: Records},
  records: readonly ReleaseRecord[],
  isConcerned: (release: ReleaseId) => boolean,
): Promise<readonly ObservedRecord[]> {
  const observed = await Promise.all(
    records.map((record) => (isConcerned(record.release) ? settledRecord(cluster, record) : record)),
  )
  return observed.filter((record) => record !== undefined)
}

/**
 * Returns a record that was not written while its evidence was read. A helm process that is gone now may have
 * been running when the record was read, so the record is read again. Returns undefined if the record was
 * deleted in between.
 */
async function settledRecord(
  cluster: LeasePorts & {readonly records: Records},
  record: ReleaseRecord,
): Promise<ObservedRecord | undefined> {
  const observed = await withLostHooks(cluster.records, await observedRecord(cluster, record))
  if (!isUnfinished(record)) return observed
  const now = await cluster.records.last(record.release)
  if (now?.secret.resourceVersion === record.secret.resourceVersion) return observed
  return now && settledRecord(cluster, now)
}

/** A release was never deployed if all of its revisions have one of these statuses. */
const NEVER_DEPLOYED: ReadonlySet<string> = new Set(['failed', 'pending-install', 'pending-upgrade'])

/** Returns the record, with the hooks that its install did not complete if no revision was deployed since. */
async function withLostHooks(records: Records, record: ObservedRecord): Promise<ObservedRecord> {
  if (!NEVER_DEPLOYED.has(record.status)) return record
  for (let {revision} = record; ; revision--) {
    // An unreadable record is reported when helm operates on the release.
    const stored = await records.stored(record.release, revision).catch(() => undefined)
    if (!stored || !NEVER_DEPLOYED.has(stored.status)) return record
    const hooks = lostHooks(stored)
    if (stored.isInstall) return hooks.length === 0 ? record : {...record, lostHooks: hooks}
  }
}

/**
 * Returns the last record of a release, with evidence if it is unfinished or has the labels of another
 * revision.
 */
async function observedRecord(cluster: LeasePorts, record: ReleaseRecord): Promise<ObservedRecord> {
  if (!isUnfinished(record) && !isUnlabelled(record)) return record
  const lease = await cluster.leases.read(record.release)
  const copiedBy = rollbackRun(record, lease)
  if (!isUnfinished(record)) return copiedBy === undefined ? record : {...record, copiedBy}
  return {...record, evidence: evidenceOf(record, lease, {now: cluster.leases.now()})}
}

/** Returns all revisions in the given order; the last of each release, if unfinished, has evidence. */
export async function observedRevisions(
  cluster: LeasePorts,
  revisions: readonly ReleaseRecord[],
): Promise<readonly ObservedRecord[]> {
  const last = new Set(new Map(revisions.map((record) => [record.release, record])).values())
  return Promise.all(revisions.map((record) => (last.has(record) ? observedRecord(cluster, record) : record)))
}
