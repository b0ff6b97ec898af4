import type {Action} from '../../plan/plan.ts'
import {isLimited, type Schedule} from './schedule.ts'
import type {States} from './states.ts'

/**
 * The actions that may start now, the most urgent first. An action may start when every edge to an action outside its
 * group is met: `ready` when that action has succeeded, `applied` when its objects exist.
 *
 * `limit` bounds how many places there are. At the pace of helm, which needs memory, an action takes one while its helm
 * runs, and the next may start while its gate is awaited. At the pace of gates it keeps the place until its gate has
 * passed, so that no more than `limit` releases are half changed at any time. Other actions take none. A group needs one
 * free place, and then starts as a whole.
 */
export function startable(schedule: Schedule, states: States, limit: number): readonly Action[] {
  const waiting = (unit: number) =>
    schedule.units[unit]!.actions.filter(({release}) => states.of.get(release) === 'waiting')
  const units = [...states.ready.free]
  let free = limit - states.taken
  for (const unit of states.ready.limited) {
    if (free <= 0) break
    free -= waiting(unit).filter(({kind}) => isLimited(kind, schedule.pace)).length
    units.push(unit)
  }
  return units.sort((a, b) => a - b).flatMap(waiting)
}
