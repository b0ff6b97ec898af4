import type {ObjectIdentity} from '../../kubernetes/objects/live-objects.ts'
import type {PruningWork} from '../task.ts'
import type {Execution} from './execution.ts'
import {takeLease} from './lease.ts'
import {expectDriven, expectRevision, raced} from './races.ts'

/**
 * Deletes what failed revisions of a release have left behind, under its Lease: each object is looked at again, stands in
 * the journal, and goes under its UID. What has changed since it was shown stays. Throws `KK_HELD`, `KK_RACED` when the
 * release has another revision by now, or is not deployed any more, `KK_HANDED_OVER`, `KK_LEASE_LOST`.
 */
export async function prune(
  execution: Execution<'prune'>,
  {look}: PruningWork,
): Promise<{readonly revision: number}> {
  const {action, cluster, controls} = execution
  const {release, revision} = action
  await using taken = await takeLease(execution)
  const record = expectRevision(action, await cluster.records.last(release))
  expectDriven(record)
  if (record?.status !== 'deployed') throw raced(release, `revision ${revision} is ${record?.status} now`)
  for (const object of await look()) {
    taken.lease.lost.throwIfAborted()
    controls.signal.throwIfAborted()
    await deleteNoted(execution, object)
  }
  return {revision}
}

/** Deletes an object under its UID, when it stands in the journal; one that was made anew stays. */
export async function deleteNoted(
  {action: {release}, cluster, controls, journal}: Execution,
  object: ObjectIdentity,
): Promise<void> {
  const name = `${object.kind}/${object.name}`
  await journal.note({type: 'object-deleting', release, object: name})
  if (await cluster.live.delete(object)) controls.onDeleted(name)
}
