import type {ReleaseRecord} from '../../cluster/cluster.ts'
import {evidenceOf} from '../../plan/pending/evidence.ts'
import {recoveryReason} from '../../plan/pending/recovery.ts'
import {unfinished} from '../../plan/refusals.ts'
import type {Execution} from './execution.ts'
import {expectRevision} from './races.ts'

/**
 * The last record, which must be of the revision that the plan saw, as one that helm works on: what was left unfinished
 * is marked failed, if the evidence still says that nobody works on it. To be called under the Lease. Throws `KK_RACED`,
 * `KK_PENDING`, `KK_RECORD`.
 */
export async function workable(
  {action, cluster, controls}: Execution<'install' | 'upgrade' | 'rollback'>,
  record: ReleaseRecord | undefined,
): Promise<ReleaseRecord | undefined> {
  const {release, revision, kind} = action
  const recovers = kind === 'install' ? undefined : action.recovers
  const isLeft = recovers !== undefined && record?.revision === revision && record.status === recovers
  const isHistory = kind === 'install' && record?.revision === revision && record.status === 'uninstalled'
  if (isHistory) return record
  if (!isLeft) return expectRevision(release, record, revision)
  const evidence = evidenceOf(record, await cluster.lease(release), {now: cluster.now(), holding: true})
  if (evidence.state !== 'stale') throw unfinished({...record, evidence})
  const reason = recoveryReason(record, evidence)
  controls.onProgress('helm', reason)
  return cluster.markFailed(record, `kk: left ${record.status} by run ${evidence.run}, ${evidence.why}`)
}
