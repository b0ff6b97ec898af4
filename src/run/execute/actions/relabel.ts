import {GATED_LABEL, labelChanges, labelsOf} from '../../../plan/labels.ts'
import type {Execution} from '../execution.ts'
import {underIntents} from '../leases/under-intents.ts'
import {underLease} from '../leases/under-lease.ts'
import {expectRevision, raced} from '../races.ts'
import type {Work} from '../work.ts'

/** Patches the requirements on the last record, under the release's Lease: a change of edges makes no revision. Throws `KK_HELD`, `KK_RACED`. */
export function relabel(execution: Execution, work: Work): Promise<void> {
  const {action, cluster} = execution
  const {release, revision} = action
  return underLease(execution, async () => {
    const record = expectRevision(release, await cluster.lastRecord(release), revision)
    if (!record) throw raced(release, 'it is not installed any more')
    const gated = Object.entries(record.labels).filter(([name]) => name === GATED_LABEL)
    const labels = {...labelsOf(work.desired, revision), ...Object.fromEntries(gated)}
    await underIntents(execution, {requirements: work.desired.requirements, before: record}, () =>
      cluster.label(record, labelChanges(labels, record.labels)),
    )
  })
}
