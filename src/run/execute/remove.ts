import {asKkError, KkError} from '../../base/errors.ts'
import type {HeldLease} from '../../kubernetes/lease/leases.ts'
import type {PresentObject} from '../../kubernetes/objects/live-objects.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {DELETION_MARKER} from '../../kubernetes/reservations/reservation.ts'
import {evidenceOf} from '../../plan/pending/evidence.ts'
import {unfinished} from '../../plan/refusals.ts'
import {reservedBy} from '../../plan/removal/refusals.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {RemovalWork} from '../task.ts'
import {cleanUp} from './clean-up.ts'
import type {Execution} from './execution.ts'
import {beginOperation, failUnfinished} from './helm-operation.ts'
import {takeLease} from './lease.ts'
import {expectNotHandedOver, REINSTALLED, raced} from './races.ts'

/**
 * The number of polls, a second apart, for objects that are being deleted, before they are reported as
 * remaining.
 */
const MAX_DELETION_POLLS = 60

/**
 * Removes a release under its Lease: sets a deletion marker, checks that no other release uses it or is about
 * to use it, reads its last record again, removes its data in other services if requested, runs helm
 * uninstall, and checks that its records are gone. Members of a group are removed only if all of them may be.
 * An interrupted removal can be repeated. Throws `KK_HAS_DEPENDENTS`, `KK_RACED`, `KK_PENDING`,
 * `KK_HANDED_OVER`, `KK_HELD`, `KK_CLEANUP`, `KK_UNHEALTHY` if a hook did not complete, and helm's errors.
 */
export async function remove(
  initial: Execution<'remove'>,
  work: RemovalWork,
): Promise<{readonly revision: number}> {
  const {cluster, controls} = initial
  await using taken = await takeLease(initial)
  const {lease, deadline} = taken
  const execution = {...initial, deadline}
  const unhooked = await underDeletionMarker(execution, work, lease)
  const remaining = await awaitDeletion(execution, work)
  controls.signal.throwIfAborted()
  for (const claim of work.claims) await cluster.live.deleteClaim(claim)
  await cluster.reservations.withdraw(execution.action.release).catch(() => undefined)
  await work.onEnded(remaining)
  if (unhooked) throw unhooked
  return {revision: 0}
}

/**
 * Uninstalls under the deletion marker, which is deleted with the Lease, or here if the release stays.
 * Resolves with the error of a hook that did not complete although the release is gone.
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
      expectNotHandedOver(record)
      await expectNoOperation(execution, record)
    })
    if (work.cleanup) await cleanUp(execution, work.cleanup)
    return await uninstall(execution, work, lease)
  } catch (error) {
    await lease.annotate({[DELETION_MARKER]: null}).catch(() => undefined)
    throw error
  }
}

/**
 * Checks that the release is unused. Reservations are checked before users: a reservation is withdrawn only
 * after the record that replaces it exists, so one of both checks finds the user.
 */
async function expectUnused({action, cluster, clock}: Execution, work: RemovalWork): Promise<void> {
  const reservations = await cluster.reservations.on(action.release)
  const live = reservations.filter(({name}) => !work.ignored.has(`kk-system/${name}`))
  if (live.length > 0) throw reservedBy(action.release, live, clock.now())
  const refusal = await work.refusal()
  if (refusal) throw refusal
}

function expectSame(
  release: ReleaseId,
  record: ReleaseRecord | undefined,
  seen: {readonly revision: number; readonly uid: string},
): asserts record is ReleaseRecord {
  if (!record) throw raced(release, 'it no longer exists')
  if (record.revision !== seen.revision)
    throw raced(release, `expected revision ${seen.revision}, as the plan saw, but found ${record.revision}`)
  if (record.secret.uid !== seen.uid) throw raced(release, REINSTALLED)
}

/**
 * Throws if another operation is running: helm would uninstall in spite of it. A pending record of a dead run
 * is removed.
 */
async function expectNoOperation({cluster}: Execution, record: ReleaseRecord): Promise<void> {
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
    await failUnfinished(execution, lease, error)
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

/** Checks that the record is gone. If helm may not write a record, it only logs that and succeeds. */
function expectGone(release: ReleaseId, record: ReleaseRecord | undefined, uid: string): void {
  if (!record) return
  if (record.secret.uid !== uid) throw raced(release, 'another process installed it while it was removed')
  throw new KkError(
    'KK_HELM_FAILED',
    `${release}: helm succeeded, but the record of revision ${record.revision} still exists (${record.status})`,
    {
      hint: 'find out what prevents its deletion, then remove the release again',
    },
  )
}

/**
 * Waits for objects that are being deleted, so that their requirements outlive them; resolves with those that
 * remain.
 */
async function awaitDeletion(execution: Execution, work: RemovalWork): Promise<readonly PresentObject[]> {
  const {action, cluster, controls, clock} = execution
  const namespace = releaseNamespace(action.release)
  let remaining = await cluster.live.present(namespace, work.objects)
  for (let poll = 1; poll < MAX_DELETION_POLLS && remaining.some(({isGoing}) => isGoing); poll++) {
    controls.onProgress('helm', `waiting until ${remaining.length} of its objects are gone`)
    if (!(await clock.wait(1000, controls.signal))) return remaining
    remaining = await cluster.live.present(
      namespace,
      remaining.map(({object}) => object),
    )
  }
  return remaining
}
