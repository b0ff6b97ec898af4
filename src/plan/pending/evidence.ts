import type {Operation, OperationVerb} from '../../kubernetes/lease/operation.ts'
import type {LeaseView} from '../../kubernetes/lease/view.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {readLabels} from '../labels.ts'

/**
 * The evidence about the process that left a record unfinished, or is working on it. `running`: a process of
 * this machine is working on it; `alone` is set if the run has ended and only its helm process still runs.
 * `stale`: no process works on it. `unknown`: its state cannot be determined before `until`, in milliseconds
 * since the epoch by the clock of the API server. `foreign`: nothing shows that kk left it.
 */
export type Evidence =
  | {
      readonly state: 'running'
      readonly by: 'kk' | 'helm'
      readonly alone: boolean
      readonly pid: number
      readonly run: string
    }
  | {readonly state: 'stale'; readonly why: string; readonly run: string}
  | {readonly state: 'unknown'; readonly until: number; readonly holder: string; readonly run: string}
  | {readonly state: 'foreign'}

/** A record and, if it is unfinished, the evidence about the process that left it. */
export interface ObservedRecord extends ReleaseRecord {
  readonly evidence?: Evidence
  /** The run whose rollback made the revision, if it was killed before it could label it. */
  readonly copiedBy?: string
  /** Like `lostHooks`, for a release that was never deployed. */
  readonly lostHooks?: readonly string[]
}

export interface Judging {
  /** The time by the clock of the API server, in milliseconds since the epoch. */
  readonly now: number
  /** Whether the caller holds the Lease: a process that worked under it before has lost it. */
  readonly holding?: boolean
}

/**
 * The grace period after the deadline of an operation, in milliseconds; kk kills a helm process after half of
 * it.
 */
export const GRACE_MILLISECONDS = 60_000

/** Returns when an operation must have ended, in milliseconds since the epoch by the API server's clock. */
export function overdueFrom({deadline}: Pick<Operation, 'deadline'>): number {
  return deadline + GRACE_MILLISECONDS
}

/** Returns true if a record must be recovered before helm can work on the release again. */
export function isUnfinished({status}: Pick<ReleaseRecord, 'status'>): boolean {
  return LEFT_BY.has(status)
}

/**
 * Returns true if the labels of a record are those of another revision: plain helm made it, or an unrecorded
 * rollback.
 */
export function isUnlabelled({labels, revision}: ReleaseRecord): boolean {
  const written = readLabels(labels)
  return written !== undefined && written.revision !== revision
}

/**
 * Returns the run whose rollback made a revision, according to its Lease; undefined if the Lease has no such
 * operation.
 */
export function rollbackRun({revision}: ReleaseRecord, lease: LeaseView | undefined): string | undefined {
  const operation = lease?.operation
  return operation?.verb === 'rollback' && operation.revision === revision ? operation.run : undefined
}

/** Derives the evidence for an unfinished record from a Lease and the processes of this machine. */
export function evidenceOf(
  record: ReleaseRecord,
  lease: LeaseView | undefined,
  {now, holding = false}: Judging,
): Evidence {
  const operation = lease?.operation
  const processes = lease?.processes.operation
  if (!operation || !processes || !isLeftBy(record, operation)) return {state: 'foreign'}
  const {run} = operation
  if (operation.ended) return {state: 'stale', why: 'whose helm ended badly', run}
  if (processes.helm.state === 'running') {
    const {pid} = processes.helm.process
    return {state: 'running', by: 'helm', alone: processes.kk === 'gone', pid, run}
  }
  if (processes.helm.state === 'gone' && (holding || processes.kk === 'gone'))
    return {state: 'stale', why: 'whose helm is gone', run}
  const until = overdueFrom(operation)
  if (now > until) return {state: 'stale', why: 'whose time is long over', run}
  if (processes.kk === 'running')
    return {state: 'running', by: 'kk', alone: false, pid: operation.kk.pid, run}
  return {state: 'unknown', until, holder: lease.holder ?? 'an unknown holder', run}
}

/** The verb that leaves a record in each of helm's unfinished statuses. */
const LEFT_BY: ReadonlyMap<string, OperationVerb> = new Map([
  ['pending-install', 'install'],
  ['pending-upgrade', 'upgrade'],
  ['pending-rollback', 'rollback'],
  ['uninstalling', 'remove'],
])

/**
 * Returns true if the operation left the record. Plain helm may have written a record of the same revision;
 * kk's label names the revision that it belongs to, but a rollback copies labels. A release without labels
 * was installed by plain helm after the operation's release was uninstalled.
 */
export function isLeftBy({status, revision, labels}: ReleaseRecord, operation: Operation): boolean {
  const {verb} = operation
  const written = readLabels(labels)
  if (LEFT_BY.get(status) !== verb || operation.revision !== revision || !written) return false
  return verb === 'rollback' || verb === 'remove' || written.revision === revision
}
