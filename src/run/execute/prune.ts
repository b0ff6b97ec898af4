import type {ObjectIdentity} from '../../kubernetes/objects/live-objects.ts'
import type {PruningWork} from '../task.ts'
import type {Execution} from './execution.ts'
import {takeLease} from './lease.ts'
import {expectNotHandedOver, expectRevision, raced} from './races.ts'

/**
 * Deletes the leftovers of failed revisions of a release, under its Lease: each object is checked again,
 * written to the journal, and deleted by UID. Objects that have changed since they were shown are kept.
 * Throws `KK_HELD`, `KK_RACED` if the release has another revision by now or is no longer deployed,
 * `KK_HANDED_OVER`, `KK_LEASE_LOST`.
 */
export async function prune(
  execution: Execution<'prune'>,
  {listDeletable}: PruningWork,
): Promise<{readonly revision: number}> {
  const {action, cluster, controls} = execution
  const {release, revision} = action
  await using taken = await takeLease(execution)
  const record = expectRevision(action, await cluster.records.last(release))
  expectNotHandedOver(record)
  if (record?.status !== 'deployed') throw raced(release, `revision ${revision} is ${record?.status} now`)
  for (const object of await listDeletable()) {
    taken.lease.lost.throwIfAborted()
    controls.signal.throwIfAborted()
    await deleteNoted(execution, object)
  }
  return {revision}
}

/** Deletes an object by UID after writing it to the journal; a re-created object is kept. */
export async function deleteNoted(
  {action: {release}, cluster, controls, journal}: Execution,
  object: ObjectIdentity,
): Promise<void> {
  const name = `${object.kind}/${object.name}`
  await journal.note({type: 'object-deleting', release, object: name})
  if (await cluster.live.delete(object)) controls.onDeleted(name)
}
