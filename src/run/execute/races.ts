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
 * The last record, if it is still the one that the plan saw (revision 0: none). Throws `KK_RACED` otherwise, and
 * `KK_PENDING` while another operation works on that revision.
 */
export function expectRevision(
  {release, revision, uid}: Pick<Action, 'release' | 'revision' | 'uid'>,
  record: ReleaseRecord | undefined,
): ReleaseRecord | undefined {
  const found = record?.revision ?? 0
  if (found !== revision) {
    throw raced(
      release,
      `expected ${revisionText(revision)}, as the plan saw, but found ${revisionText(found)}`,
    )
  }
  if (uid !== undefined && record?.secret.uid !== uid) throw raced(release, REINSTALLED)
  const refusal = record && unfinished(record)
  if (refusal) throw refusal
  return record
}

/**
 * The record that helm left, read again: helm ends well even when it could not record its end (helm issue 13189).
 * Throws `KK_RACED` unless it is of exactly this revision, `KK_PENDING` or `KK_HELM_FAILED` unless it is deployed.
 */
export function expectDeployed(
  release: ReleaseId,
  record: ReleaseRecord | undefined,
  revision: number,
): ReleaseRecord {
  const found = record?.revision ?? 0
  if (!record || found !== revision) {
    throw raced(
      release,
      `helm was to make ${revisionText(revision)}, but now there is ${revisionText(found)}`,
    )
  }
  const refusal = unfinished(record)
  if (refusal) throw refusal
  if (record.status === 'deployed') return record
  throw new KkError(
    'KK_HELM_FAILED',
    `${release}: helm ended well, but revision ${revision} is ${record.status}`,
    {
      hint: `see "helm history ${releaseName(release)} -n ${releaseNamespace(release)}", then run the same command again`,
    },
  )
}

/** Throws `KK_HANDED_OVER` for a release that another tool changes, whatever the plan saw. */
export function expectDriven(record: ReleaseRecord | undefined): void {
  const tool = record && readLabels(record.labels)?.exportedTo
  if (tool !== undefined) throw handedOver([{release: record!.release, tool}])
}

/** Helm numbers the revisions of the next installation from 1 again. */
export const REINSTALLED = 'it was removed and installed again'

export function raced(release: ReleaseId, what: string): KkError {
  return new KkError('KK_RACED', `${release}: somebody else changed it meanwhile: ${what}`, {
    hint:
      `see "helm history ${releaseName(release)} -n ${releaseNamespace(release)}"; ` +
      'run the same command again: kk looks at the cluster first',
  })
}

function revisionText(revision: number): string {
  return revision === 0 ? 'no release' : `revision ${revision}`
}

/**
 * The last record, which must be of the revision that the plan saw, as one that helm works on: what was left unfinished
 * is marked failed, if the evidence still says that nobody works on it. To be called under the Lease. Throws `KK_RACED`,
 * `KK_PENDING`, `KK_HANDED_OVER`, `KK_RECORD`.
 */
export async function workable(
  {action, cluster, controls}: Execution<'install' | 'upgrade' | 'rollback'>,
  record: ReleaseRecord | undefined,
): Promise<ReleaseRecord | undefined> {
  const {release, revision, uid, kind, recovers} = action
  expectDriven(record)
  const isSeen = record?.revision === revision && (uid === undefined || record.secret.uid === uid)
  const isLeft = recovers !== undefined && isSeen && record.status === recovers
  const isHistory = kind === 'install' && isSeen && record.status === 'uninstalled'
  if (isHistory) return record
  if (!isLeft) return expectRevision(action, record)
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
