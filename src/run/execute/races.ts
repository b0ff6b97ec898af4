import {KkError} from '../../base/errors.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {readLabels} from '../../plan/labels.ts'
import {evidenceOf} from '../../plan/pending/evidence.ts'
import {recoveryReason} from '../../plan/pending/recovery.ts'
import type {Action} from '../../plan/plan.ts'
import {handedOver, unfinished} from '../../plan/refusals.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Execution} from './execution.ts'

/**
 * Returns the last record if it is still the one that the plan saw (revision 0: none). Throws `KK_RACED`
 * otherwise, and `KK_PENDING` while another operation works on that revision.
 */
export function expectRevision(
  {release, revision, uid}: Pick<Action, 'release' | 'revision' | 'uid'>,
  record: ReleaseRecord | undefined,
): ReleaseRecord | undefined {
  const actual = record?.revision ?? 0
  if (actual !== revision) {
    throw raced(
      release,
      `expected ${revisionText(revision)}, as the plan saw, but found ${revisionText(actual)}`,
    )
  }
  if (uid !== undefined && record?.secret.uid !== uid) throw raced(release, REINSTALLED)
  const refusal = record && unfinished(record)
  if (refusal) throw refusal
  return record
}

/**
 * Returns the record after helm has ended: helm exits with 0 even if it could not record its end (helm issue
 * 13189). Throws `KK_RACED` unless it has exactly this revision, `KK_PENDING` or `KK_HELM_FAILED` unless it
 * is deployed.
 */
export function expectDeployed(
  release: ReleaseId,
  record: ReleaseRecord | undefined,
  revision: number,
): ReleaseRecord {
  const actual = record?.revision ?? 0
  if (!record || actual !== revision) {
    throw raced(release, `expected ${revisionText(revision)} from helm, but found ${revisionText(actual)}`)
  }
  const refusal = unfinished(record)
  if (refusal) throw refusal
  if (record.status === 'deployed') return record
  throw new KkError(
    'KK_HELM_FAILED',
    `${release}: helm succeeded, but revision ${revision} is ${record.status}`,
    {
      hint: `see "helm history ${releaseName(release)} -n ${releaseNamespace(release)}", then run the same command again`,
    },
  )
}

/** Throws `KK_HANDED_OVER` for a release that another tool manages, whatever the plan saw. */
export function expectNotHandedOver(record: ReleaseRecord | undefined): void {
  const tool = record && readLabels(record.labels)?.exportedTo
  if (tool !== undefined) throw handedOver([{release: record!.release, tool}])
}

/** The reason for a record with another UID: helm numbers the revisions of each installation from 1. */
export const REINSTALLED = 'it was removed and installed again'

export function raced(release: ReleaseId, what: string): KkError {
  return new KkError('KK_RACED', `${release}: another process changed it in the meantime: ${what}`, {
    hint:
      `see "helm history ${releaseName(release)} -n ${releaseNamespace(release)}"; ` +
      'run the same command again: kk checks the cluster first',
  })
}

function revisionText(revision: number): string {
  return revision === 0 ? 'no release' : `revision ${revision}`
}

/**
 * Returns the last record, with the revision that the plan saw, in a state in which helm can work on it: an
 * unfinished operation is marked failed if the evidence still shows that its process has ended. Call it under
 * the Lease. Throws `KK_RACED`, `KK_PENDING`, `KK_HANDED_OVER`, `KK_RECORD`.
 */
export async function workableRecord(
  {action, cluster, controls}: Execution<'install' | 'upgrade' | 'rollback'>,
  record: ReleaseRecord | undefined,
): Promise<ReleaseRecord | undefined> {
  const {release, revision, uid, kind, recovers} = action
  expectNotHandedOver(record)
  const isSeen = record?.revision === revision && (uid === undefined || record.secret.uid === uid)
  const isUnfinished = recovers !== undefined && isSeen && record.status === recovers
  const isHistory = kind === 'install' && isSeen && record.status === 'uninstalled'
  if (isHistory) return record
  if (!isUnfinished) return expectRevision(action, record)
  if (recovers === 'deployed') return cluster.records.markFailed(record, `kk: ${action.reasons.join('; ')}`)
  const evidence = evidenceOf(record, await cluster.leases.read(release), {
    now: cluster.leases.now(),
    holding: true,
  })
  if (evidence.state !== 'stale') throw unfinished({...record, evidence})
  const reason = recoveryReason(record, evidence)
  controls.onProgress('helm', reason)
  return cluster.records.markFailed(
    record,
    `kk: left ${record.status} by run ${evidence.run}, ${evidence.why}`,
  )
}
