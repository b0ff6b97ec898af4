import {asKkError, KkError} from '../../base/errors.ts'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import type {PresentObject} from '../../kubernetes/objects/live-objects.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {DELETION_MARKER} from '../../kubernetes/reservations/reservation.ts'
import {evidenceOf} from '../../plan/pending/evidence.ts'
import {unfinished} from '../../plan/refusals.ts'
import {intended} from '../../plan/removal/refusals.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {RemovalWork} from '../task.ts'
import {cleanUp} from './clean-up.ts'
import type {Execution} from './execution.ts'
import {beginOperation, settle} from './helm-operation.ts'
import {takeLease} from './lease.ts'
import {expectDriven, REINSTALLED, raced} from './races.ts'

/** How often objects that are being deleted are looked for, a second apart, before they are told to stay. */
const LOOKS = 60

/**
 * Takes a release away under its Lease: sets a deletion marker, makes sure that nothing uses it or is about to, reads its last
 * record again, takes away what it has in other services if that is wanted, runs helm uninstall, and makes sure that its records
 * are gone. Throws `KK_HAS_DEPENDENTS`, `KK_RACED`, `KK_PENDING`, `KK_HANDED_OVER`, `KK_HELD`, `KK_CLEANUP`, `KK_UNHEALTHY` if a hook did not complete, and what helm throws. Members of a group go when none of them is refused. One that was cut short is
 * finished by another.
 */
export async function remove(
  begun: Execution<'remove'>,
  work: RemovalWork,
): Promise<{readonly revision: number}> {
  const {cluster, controls} = begun
  await using taken = await takeLease(begun)
  const {lease, deadline} = taken
  const execution = {...begun, deadline}
  const unhooked = await underDeletionMarker(execution, work, lease)
  const left = await awaitDeletion(execution, work)
  controls.signal.throwIfAborted()
  for (const claim of work.claims) await cluster.live.deleteClaim(claim)
  await cluster.reservations.withdraw(execution.action.release).catch(() => undefined)
  await work.onEnded(left)
  if (unhooked) throw unhooked
  return {revision: 0}
}

/**
 * The deletion marker goes with the Lease, or here when the release stays. Resolves with what is wrong though the release is
 * gone: a hook of its removal did not complete.
 */
async function underDeletionMarker(
  execution: Execution<'remove'>,
  work: RemovalWork,
  lease: HeldLease,
): Promise<KkError | undefined> {
  const {action, cluster, agreement, holder} = execution
  const {release} = action
  await lease.annotate({[DELETION_MARKER]: holder})
  try {
    await agreement.agree(release, async () => {
      await expectUnused(execution, work)
      const record = await cluster.records.last(release)
      expectSame(release, record, {revision: action.revision, uid: work.uid})
      expectDriven(record)
      await expectNobodyAtWork(execution, record)
    })
    if (work.cleanup) await cleanUp(execution, work.cleanup)
    return await uninstall(execution, work, lease)
  } catch (error) {
    await lease.annotate({[DELETION_MARKER]: null}).catch(() => undefined)
    throw error
  }
}

/** Reservations before users: a reservation goes only when the record is there that takes its place, so one of both looks finds it. */
async function expectUnused({action, cluster, clock}: Execution, work: RemovalWork): Promise<void> {
  const reservations = await cluster.reservations.on(action.release)
  const live = reservations.filter(({name}) => !work.excused.has(`kk-system/${name}`))
  if (live.length > 0) throw intended(action.release, live, clock.now())
  const refusal = await work.refusal()
  if (refusal) throw refusal
}

function expectSame(
  release: ReleaseId,
  record: ReleaseRecord | undefined,
  seen: {readonly revision: number; readonly uid: string},
): asserts record is ReleaseRecord {
  if (!record) throw raced(release, 'it is not there any more')
  if (record.revision !== seen.revision)
    throw raced(release, `expected revision ${seen.revision}, as the plan saw, but found ${record.revision}`)
  if (record.secret.uid !== seen.uid) throw raced(release, REINSTALLED)
}

/** Helm would uninstall under a running upgrade, too. What a dead run has left pending is removed as it is. */
async function expectNobodyAtWork({cluster}: Execution, record: ReleaseRecord): Promise<void> {
  if (!record.status.startsWith('pending')) return
  const lease = await cluster.leases.read(record.release)
  const evidence = evidenceOf(record, lease, {now: cluster.leases.now(), holding: true})
  const refusal = evidence.state === 'stale' ? undefined : unfinished({...record, evidence})
  if (refusal) throw refusal
}

async function uninstall(
  execution: Execution<'remove'>,
  work: RemovalWork,
  lease: HeldLease,
): Promise<KkError | undefined> {
  const {action, cluster, controls} = execution
  const {release} = action
  try {
    controls.signal.throwIfAborted()
    controls.onProgress('helm', 'helm uninstall')
    const unhooked = await callHelm(execution, work, lease)
    expectGone(release, await cluster.records.last(release), work.uid)
    return unhooked
  } catch (error) {
    await settle(execution, lease, error)
    throw error
  }
}

async function callHelm(
  execution: Execution<'remove'>,
  {objects, hooks, values}: RemovalWork,
  lease: HeldLease,
): Promise<KkError | undefined> {
  const {release} = execution.action
  const call = {name: releaseName(release), namespace: releaseNamespace(release), values}
  const all = [...objects, ...hooks]
  await using operation = await beginOperation(execution, {lease, objects: all, ignoresAbort: true})
  await operation.result(execution.helm.uninstall(call, operation.options))
  return operation.expectHooks().then(() => undefined, asKkError)
}

/** Helm only logs when it may not write a record, and ends well. */
function expectGone(release: ReleaseId, record: ReleaseRecord | undefined, uid: string): void {
  if (!record) return
  if (record.secret.uid !== uid) throw raced(release, 'somebody else installed it while it was removed')
  throw new KkError(
    'KK_HELM_FAILED',
    `${release}: helm ended well, but the record of revision ${record.revision} is still there (${record.status})`,
    {
      hint: 'look for what forbids deleting it, then remove the release again',
    },
  )
}

/** Waits for what is being deleted, so that what it needs does not go before it; resolves with what stays. */
async function awaitDeletion(execution: Execution, work: RemovalWork): Promise<readonly PresentObject[]> {
  const {action, cluster, controls, clock} = execution
  const namespace = releaseNamespace(action.release)
  let left = await cluster.live.present(namespace, work.objects)
  for (let look = 1; look < LOOKS && left.some(({isGoing}) => isGoing); look++) {
    controls.onProgress('helm', `waiting until ${left.length} of its objects are gone`)
    if (!(await clock.wait(1000, controls.signal))) return left
    left = await cluster.live.present(
      namespace,
      left.map(({object}) => object),
    )
  }
  return left
}
