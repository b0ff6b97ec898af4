import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {HeldLease, Leases} from '../../kubernetes/lease/leases.ts'
import type {LeaseView} from '../../kubernetes/lease/view.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {RunRecords} from '../../kubernetes/records/runs.ts'
import {readLabels} from '../../plan/labels.ts'
import {type Evidence, evidenceOf, isUnfinished} from '../../plan/pending/evidence.ts'
import {handedOver, unfinished} from '../../plan/refusals.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import {releaseName} from '../../release.ts'
import {releaseOnCluster} from '../observation/release-on-cluster.ts'

export interface UnlockRequest {
  /** The release's name on the command line. */
  readonly release: string
  readonly revision: number
  /** The environment on the command line, for a name that exists in several namespaces. */
  readonly owner: string | undefined
  readonly environment: Environment | undefined
}

/** The state of a release to unlock. */
export interface Unlocking {
  readonly record: ReleaseRecord
  /** The environment that owns it. */
  readonly environment: string
  /** Milliseconds since the epoch, by the clock of the API server; so is `now`. */
  readonly writtenAt: number | undefined
  readonly now: number
  readonly lease: LeaseView | undefined
  readonly evidence: Evidence
}

type UnlockPorts = {readonly records: Records; readonly runs: RunRecords; readonly leases: Leases}

/**
 * Reads a release to unlock. Throws `KK_UNKNOWN_RELEASE`, `KK_FOREIGN` if kk did not install it,
 * `KK_HANDED_OVER`, `KK_MOVED` if that revision is not its last, or is not unfinished, and `KK_PENDING` if a
 * process works on it.
 */
export async function planUnlock(
  cluster: UnlockPorts,
  {release: name, revision, owner, environment: file}: UnlockRequest,
): Promise<Unlocking> {
  const {revisions} = await visibleRevisions(cluster, {names: [name], owner, environment: file})
  const record = releaseOnCluster([...lastRevisions(revisions).values()], name, owner)
  const labels = readLabels(record.labels)
  if (labels === undefined) throw notByKk(record)
  const {owner: environment, exportedTo: tool} = labels
  if (tool !== undefined) throw handedOver([{release: record.release, tool}])
  if (record.revision !== revision || !isUnfinished(record)) throw nothingToUnlock(record, revision)
  const [lease, writtenAt] = await Promise.all([
    cluster.leases.read(record.release),
    cluster.records.writtenAt(record),
  ])
  const now = cluster.leases.now()
  const evidence = evidenceOf(record, lease, {now})
  if (evidence.state === 'running') throw unfinished({...record, evidence})
  return {record, environment, writtenAt, now, lease, evidence}
}

interface UnlockOptions {
  /** The user and process that unlock, for display. */
  readonly holder: string
  /** The timeout for another holder of the release, in milliseconds. */
  readonly patience: number
  readonly onHeld: (by: string) => void
}

/**
 * Marks the revision as failed, while holding the release's Lease, so that helm can continue with it; nothing
 * is uninstalled. Throws `KK_HELD`, `KK_RACED` if it has changed since it was read, `KK_PENDING`,
 * `KK_RECORD`.
 */
export async function unlock(
  cluster: {readonly leases: Leases; readonly records: Records},
  {record}: Unlocking,
  {holder, patience, onHeld}: UnlockOptions,
): Promise<void> {
  const hold: HeldLease = await cluster.leases.hold(record.release, holder, Date.now() + patience, {onHeld})
  try {
    const lease = await cluster.leases.read(record.release)
    const evidence = evidenceOf(record, lease, {now: cluster.leases.now(), holding: true})
    if (evidence.state === 'running') throw unfinished({...record, evidence})
    await cluster.records.markFailed(record, `kk: left ${record.status}, unlocked by ${holder}`)
  } finally {
    await hold.release().catch(() => undefined)
  }
}

function nothingToUnlock({release, revision, status}: ReleaseRecord, requested: number): KkError {
  const name = releaseName(release)
  if (!isUnfinished({status})) {
    return new KkError(
      'KK_MOVED',
      `revision ${revision} of ${release} is ${status}: there is nothing to unlock`,
      {
        hint: `deploy its environment: kk deploy, or kk upgrade ${name}`,
      },
    )
  }
  return new KkError(
    'KK_MOVED',
    `revision ${requested} is not the last of ${release}: that is ${revision}, ${status}`,
    {
      hint: `review it, then: kk unlock ${name} --revision ${revision}`,
    },
  )
}

function notByKk({release, status}: ReleaseRecord): KkError {
  return new KkError('KK_FOREIGN', `${release} (${status}) was not installed by kk, and is not changed`, {
    hint: `if no helm works on it, return it to a revision of its history: helm rollback ${releaseName(release)}`,
  })
}
