import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {ReleaseId} from '../../release.ts'
import {hasPassed, readLabels} from '../labels.ts'
import {isUnfinished, type ObservedRecord} from '../pending/evidence.ts'
import {isRecoverable, recoveryReason} from '../pending/recovery.ts'
import {handedOver, unfinished} from '../refusals.ts'
import {anotherOwner, missingRevisions, noRelease, notByKk, type PrunedRevision, pruned} from './refusals.ts'
import type {RollbackTarget} from './targets.ts'

/** How a release returns. */
export interface RollbackStep {
  readonly kind: 'rollback' | 'await' | 'unchanged'
  /** The revision that it returns to, or already is at. */
  readonly to: ReleaseRecord
  readonly reason: string
  /** As `Action.recovers`. */
  readonly recovers?: string
}

interface WaysOptions {
  readonly targets: readonly RollbackTarget[]
  readonly revisions: readonly ObservedRecord[]
  readonly environment: string
}

/** Returns how each release returns; throws a refusal for the first that cannot. */
export function rollbackSteps({
  targets,
  revisions,
  environment,
}: WaysOptions): ReadonlyMap<ReleaseId, RollbackStep> {
  const last = lastRevisions(revisions)
  const steps = new Map<ReleaseId, RollbackStep>()
  const missing: PrunedRevision[] = []
  for (const {release, revision, reason} of targets) {
    const record = last.get(release)
    if (!record) throw noRelease(release)
    const labels = readLabels(record.labels)
    if (!labels) throw notByKk(release)
    if (labels.owner !== environment) throw anotherOwner(release, labels.owner, environment)
    if (labels.exportedTo !== undefined) throw handedOver([{release, tool: labels.exportedTo}])
    const unfinishedRecord = recoverUnfinished(record)
    const own = revisions.filter((each) => each.release === release)
    const target = own.find((each) => each.revision === revision)
    if (target)
      steps.set(release, {
        ...stepTo(record, target, unfinishedRecord ? `${reason}; ${unfinishedRecord.reason}` : reason),
        ...unfinishedRecord?.mark,
      })
    else missing.push({release, revision, kept: own.map((each) => each.revision)})
  }
  const unmade = missing.filter(({revision, kept}) => revision > kept.at(-1)!)
  if (unmade.length > 0) throw missingRevisions(unmade)
  if (missing.length > 0) throw pruned(missing)
  return steps
}

/**
 * Returns the way to a revision. A release is already there if its last revision is deployed, and kk made it
 * of the same inputs.
 */
function stepTo(record: ReleaseRecord, to: ReleaseRecord, reason: string): RollbackStep {
  const [now, then] = [readLabels(record.labels)!, readLabels(to.labels)]
  const isSame = now.inputs !== undefined && now.inputs === then?.inputs && now.revision === record.revision
  const isThere = record.status === 'deployed' && (record.revision === to.revision || isSame)
  if (!isThere) return {kind: 'rollback', to, reason}
  const passed = hasPassed(record)
  const text =
    record.revision === to.revision
      ? `it is at revision ${to.revision} already`
      : `revision ${record.revision} was made of the same inputs as revision ${to.revision}: there is nothing to undo`
  return {kind: passed ? 'unchanged' : 'await', to: record, reason: text}
}

/**
 * Returns how a record that a dead run left unfinished is recovered. Throws `KK_PENDING` if another process
 * may work on it.
 */
function recoverUnfinished(record: ObservedRecord) {
  const {status, evidence} = record
  if (isUnfinished(record) && evidence && isRecoverable(evidence))
    return {reason: recoveryReason(record, evidence), mark: {recovers: status}}
  const refusal = unfinished(record)
  if (refusal) throw refusal
  return undefined
}

/** Returns for each release the newest revision, among those that helm keeps, whose own gate has passed. */
export function lastGated(revisions: readonly ReleaseRecord[]): ReadonlyMap<ReleaseId, number> {
  const gated = new Map<ReleaseId, number>()
  for (const record of revisions) {
    const {release, revision} = record
    if (hasPassed(record) && revision > (gated.get(release) ?? 0)) gated.set(release, revision)
  }
  return gated
}
