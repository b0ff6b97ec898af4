import type {ReleaseRecord} from '../../cluster/cluster.ts'
import type {Decision} from '../decision/decision.ts'
import {unfinished} from '../refusals.ts'
import {type Evidence, isUnfinished, type ObservedRecord} from './evidence.ts'

/**
 * Returns what continues a release from a record that helm would refuse to work on; undefined for any other record.
 * Throws `KK_PENDING` where somebody may still work on it.
 */
export function recovery(record: ObservedRecord): Decision | undefined {
  const {revision, status, evidence} = record
  if (status === 'uninstalled')
    return {kind: 'install', reasons: [`only its history is left (revision ${revision}): installed anew`]}
  if (isUnfinished(record) && evidence && isRecoverable(evidence))
    return {kind: 'upgrade', reasons: [upgradeReason(record, evidence)], recovers: status}
  const refusal = unfinished(record)
  if (refusal) throw refusal
  return undefined
}

type Recoverable = Extract<Evidence, {state: 'stale' | 'running'}>

/** Returns true where kk may recover the record by itself. It waits for a helm that works on without its kk. */
export function isRecoverable(evidence: Evidence): evidence is Recoverable {
  return evidence.state === 'stale' || (evidence.state === 'running' && evidence.alone)
}

/** Returns why a recovery is needed, and how it begins. */
export function recoveryReason(
  {revision, status}: Pick<ReleaseRecord, 'revision' | 'status'>,
  evidence: Recoverable,
): string {
  const {run} = evidence
  if (evidence.state === 'running')
    return `revision ${revision} is ${status} by run ${run}, which is gone; its helm (process ${evidence.pid}) still works and is waited for`
  return `revision ${revision} was left ${status} by run ${run}, ${evidence.why}: marked failed`
}

function upgradeReason(record: ReleaseRecord, evidence: Recoverable): string {
  const reason = recoveryReason(record, evidence)
  if (evidence.state === 'running') return reason
  const again = record.status === 'uninstalling' ? ', which makes again what was deleted' : ''
  return `${reason}, then upgraded${again}`
}
