import {isHook} from '../../../../../cluster/is-hook.ts'
import type {ChartFault} from '../../chart-fault.ts'
import type {ExaminedRelease} from '../../examined-release.ts'
import {circleOf, happening} from './circle.ts'
import {circleFault, type LateHook, lateHooksFault} from './deadlock-faults.ts'
import {type Event, type Need, needsOf, placeOf} from './events.ts'
import type {Owned} from './makers.ts'
import {isLater, momentOf} from './moment.ts'

/**
 * Hooks that wait, perhaps by way of other pods, for what helm makes only when they have ended; and pods that wait for a hook
 * which runs after them, which is well as long as nobody waits for the pods first, as `helm --wait` does.
 */
export function deadlocks(releases: readonly ExaminedRelease[]): readonly ChartFault[] {
  const owned = releases.flatMap(({release, objects}) => objects.map((each) => ({...each, release})))
  const needs = needsOf(owned)
  const happened = happening(needs)
  const late: LateHook[] = []
  const circles = owned.flatMap((each, place) => {
    const event: Event = `done ${place}`
    const wants = needs.get(event)!.filter(({want}) => want)
    if (!isHook(each.object)) {
      if (happened.has(event)) late.push(...wants.flatMap((need) => lateHook(each, need, owned)))
      return []
    }
    return wants.flatMap((need) => {
      const circle = circleOf(event, need, {needs, happened})
      return circle.length === 0 ? [] : [circleFault(each, circle, owned)]
    })
  })
  return [...circles, ...lateHooksFault(late)]
}

/** Any of the makers may be what is waited for. */
function lateHook(each: Owned, {anyOf, want}: Need, owned: readonly Owned[]): readonly LateHook[] {
  const own = momentOf(each.object)
  const makers = anyOf.map((event) => owned[placeOf(event)]!)
  const isLate = makers.every(
    ({object, release}) => release === each.release && isLater(momentOf(object), own),
  )
  return isLate ? [{waiting: each, hook: makers[0]!, want: want!}] : []
}
