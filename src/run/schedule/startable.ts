import type {Action} from '../../plan/plan.ts'
import {runsHelm, type Schedule} from './schedule.ts'
import type {States} from './states.ts'

/**
 * The actions that may start now, the most urgent first. An action may start when every edge to an action outside its
 * group is met: `ready` when that action has succeeded, `applied` when its objects exist.
 *
 * `limit` bounds how many helms run at once, for helm is what needs memory: a slot is taken by install and upgrade
 * while helm runs, and is free again when the gate opens; other actions take none. A group needs one free slot, and
 * then starts as a whole.
 */
export function startable(schedule: Schedule, states: States, limit: number): readonly Action[] {
  const waiting = (unit: number) =>
    schedule.units[unit]!.actions.filter(({release}) => states.of.get(release) === 'waiting')
  const units = [...states.ready.free]
  let free = limit - states.helms
  for (const unit of states.ready.helm) {
    if (free <= 0) break
    free -= waiting(unit).filter(({kind}) => runsHelm(kind)).length
    units.push(unit)
  }
  return units.sort((a, b) => a - b).flatMap(waiting)
}
