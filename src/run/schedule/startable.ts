import type {Action} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import {isLimited, type Schedule} from './schedule.ts'
import {meets, type States} from './states.ts'

/**
 * Returns the actions that may start now, the most urgent first. An action may start when every edge to an
 * action outside its group is met: `ready` when that action has succeeded, `applied` when its objects exist,
 * `ended` when it has ended in any way.
 *
 * `limit` is the number of slots. With the start condition `helm`, which limits memory, an action occupies a
 * slot while its helm runs, and the next may start while its gate is awaited. With the start condition `gate`
 * it occupies the slot until its gate has passed, so that at most `limit` releases are half changed at any
 * time. Other actions need no slot. A group needs one free slot, and then starts as a whole.
 */
export function startable(schedule: Schedule, states: States, limit: number): readonly Action[] {
  const waiting = (unit: number) =>
    schedule.units[unit]!.actions.filter(({release}) => states.of.get(release) === 'waiting')
  const units = [...states.ready.free]
  let free = limit - states.occupied
  for (const unit of states.ready.limited) {
    if (free <= 0) break
    free -= waiting(unit).filter(({kind}) => isLimited(kind, schedule.startCondition)).length
    units.push(unit)
  }
  return units.sort((a, b) => a - b).flatMap(waiting)
}

/** An action that can no longer start; `direct` if it requires the failed one itself. */
export interface Skipped {
  readonly release: ReleaseId
  readonly direct: boolean
}

/**
 * Returns the waiting actions whose requirements a failure makes impossible, in the order of the plan. An
 * `applied` edge to an action that became unhealthy is met, and an `ended` edge can always be met.
 */
export function skippedBy(schedule: Schedule, states: States, failed: ReleaseId): readonly Skipped[] {
  const lost = new Set<ReleaseId>()
  const direct = new Set<ReleaseId>()
  const queue: ReleaseId[] = [failed]
  for (const release of queue) {
    const state = states.of.get(release)!
    for (const waiter of schedule.waiters.get(release) ?? []) {
      if (waiter.kind === 'ended' || meets(waiter.kind, state)) continue
      if (states.of.get(waiter.release) !== 'waiting') continue
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
