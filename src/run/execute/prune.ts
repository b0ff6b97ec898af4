import type {PruningWork} from '../task.ts'
import {deleteNoted} from './delete-noted.ts'
import type {Execution} from './execution.ts'
import {expectRevision, raced} from './races.ts'
import {underLease} from './under-lease.ts'

/**
 * Deletes what failed revisions of a release have left behind, under its Lease: each object is looked at again, stands in
 * the journal, and goes under its UID. What has changed since it was shown stays. Throws `KK_HELD`, `KK_RACED` when the
 * release has another revision by now, or is not deployed any more, `KK_LEASE_LOST`.
 */
export function prune(
  execution: Execution<'prune'>,
  {look}: PruningWork,
): Promise<{readonly revision: number}> {
  const {action, cluster, controls} = execution
  const {release, revision} = action
  return underLease(execution, async (lease) => {
    const record = expectRevision(release, await cluster.lastRecord(release), revision)
    if (record?.status !== 'deployed') throw raced(release, `revision ${revision} is ${record?.status} now`)
    for (const object of await look()) {
      lease.lost.throwIfAborted()
      controls.signal.throwIfAborted()
      await deleteNoted(execution, object)
    }
    return {revision}
  })
}
