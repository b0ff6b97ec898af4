import {asKkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import {dependents} from '../graph/dependents.ts'
import type {Records} from '../kubernetes/records/records.ts'
import {actionGraph} from '../plan/action-graph.ts'
import {readLabels, UNCHECKED_LABEL} from '../plan/labels.ts'
import {isRechecked, type Plan} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import type {RunObserver} from './observer.ts'
import {releasesIn} from './run-state.ts'

interface CheckedOptions {
  readonly plan: Plan
  readonly cluster: {readonly records: Records}
}

/**
 * Removes, before the end of a run, the note on each changed release that its dependents must still be
 * checked, if all of them have passed their gates; otherwise the next run checks again. An error is reported
 * as `run-warned` and has no other effect.
 */
export function clearRecheckNotes({plan, cluster}: CheckedOptions): RunObserver {
  return {
    async finish(_outcome, run) {
      const succeeded = [...releasesIn(run.state, 'succeeded'), ...releasesIn(run.state, 'unchanged')]
      const releases = new Set(succeeded.map(({release}) => release))
      for (const message of await forgetAll(checked(plan, releases), cluster)) run.warned(message)
    },
  }
}

/** Returns the changed releases of a plan whose dependents in the plan have all succeeded. */
function checked(plan: Plan, succeeded: ReadonlySet<ReleaseId>): readonly ReleaseId[] {
  const causes = plan.actions.filter((action) => isRechecked(action) && succeeded.has(action.release))
  const rest = plan.actions.filter(({release}) => !succeeded.has(release)).map(({release}) => release)
  if (rest.length === 0) return causes.map(({release}) => release)
  const graph = actionGraph(plan.actions)
  const isChecked = (release: ReleaseId) => {
    const users = new Set(dependents(graph, [release]))
    return !rest.some((each) => users.has(each))
  }
  return causes.map(({release}) => release).filter(isChecked)
}

/**
 * Removes the notes; resolves with the errors for display. A record that another process has changed is
 * skipped.
 */
async function forgetAll(
  releases: readonly ReleaseId[],
  cluster: CheckedOptions['cluster'],
): Promise<readonly string[]> {
  const troubles = await mapParallel(releases, async (release) => {
    try {
      const record = await cluster.records.last(release)
      const isNoted = record && readLabels(record.labels)?.unchecked === record.revision
      if (isNoted) await cluster.records.label(record, {[UNCHECKED_LABEL]: null})
      return []
    } catch (error) {
      const {code, message} = asKkError(error)
      if (code === 'KK_RACED') return []
      return [`${release}: its dependents are checked again by the next run: ${message}`]
    }
  })
  return troubles.flat()
}
