import type {ReleaseId} from '../../release.ts'
import type {Schedule} from './schedule.ts'
import {meets, type States} from './states.ts'

/** An action that cannot start any more; `direct` when it requires the failed one itself. */
export interface Skipped {
  readonly release: ReleaseId
  readonly direct: boolean
}

/**
 * The waiting actions that a failure leaves without what they require, in the order of the plan. An `applied` edge
 * to an action that became unhealthy is met.
 */
export function skippedBy(schedule: Schedule, states: States, failed: ReleaseId): readonly Skipped[] {
  const lost = new Set<ReleaseId>()
  const direct = new Set<ReleaseId>()
  const queue: ReleaseId[] = [failed]
  for (const release of queue) {
    const state = states.of.get(release)!
    for (const waiter of schedule.waiters.get(release) ?? []) {
      if (meets(waiter.kind, state) || states.of.get(waiter.release) !== 'waiting') continue
      if (release === failed) direct.add(waiter.release)
      for (const action of schedule.units[waiter.unit]!.actions) {
        if (lost.has(action.release)) continue
        lost.add(action.release)
        queue.push(action.release)
      }
    }
  }
  return [...lost]
    .sort((a, b) => schedule.position.get(a)! - schedule.position.get(b)!)
    .map((release) => ({release, direct: direct.has(release)}))
}
