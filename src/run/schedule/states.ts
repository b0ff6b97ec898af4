import type {EdgeKind, ReleaseId} from '../../release.ts'
import {isLimited, type Schedule, type StartCondition} from './schedule.ts'

/**
 * waiting → running → applied → gating → succeeded. running: helm works. applied: its objects exist, helm may still wait
 * for hooks. gating: helm has ended, health is awaited. Steps may be left out. failed: before its objects existed;
 * unhealthy: after that. skipped: never started.
 */
export type ActionState =
  | 'waiting'
  | 'running'
  | 'applied'
  | 'gating'
  | 'succeeded'
  | 'failed'
  | 'unhealthy'
  | 'skipped'

/**
 * Where every action of a run stands, with what `startable` needs counted along. `move` changes it in place: a copy
 * at each step would cost O(actions).
 */
export interface States {
  readonly of: ReadonlyMap<ReleaseId, ActionState>
  /** Units whose requirements are met and that hold a waiting action, by urgency: those that the limit is for, and others. */
  readonly ready: {readonly limited: readonly number[]; readonly free: readonly number[]}
  /** How many places are taken of those that the limit allows. */
  readonly taken: number
  move(release: ReleaseId, to: ActionState): void
}

/** States of a run that begins; or that goes on, with the states that are known. */
export function newStates(
  schedule: Schedule,
  known: ReadonlyMap<ReleaseId, ActionState> = new Map(),
): States {
  const of = new Map<ReleaseId, ActionState>(
    [...schedule.actionOf.keys()].map((release) => [release, 'waiting']),
  )
  const missing = schedule.units.map((unit) => unit.requirements)
  const ready = {limited: [] as number[], free: [] as number[]}
  let taken = 0

  const queueOf = (unit: number) => (schedule.units[unit]!.limited ? ready.limited : ready.free)
  const waits = (unit: number) =>
    schedule.units[unit]!.actions.some((action) => of.get(action.release) === 'waiting')
  for (const [unit, {requirements}] of schedule.units.entries()) {
    if (requirements === 0) queueOf(unit).push(unit)
  }

  const move = (release: ReleaseId, to: ActionState): void => {
    const from = of.get(release)!
    const own = schedule.unitOf.get(release)!
    of.set(release, to)
    if (from === 'waiting' && !waits(own)) take(queueOf(own), own)
    if (isLimited(schedule.actionOf.get(release)!.kind, schedule.startCondition))
      taken +=
        Number(holdsPlace(to, schedule.startCondition)) - Number(holdsPlace(from, schedule.startCondition))
    for (const {unit, kind} of schedule.waiters.get(release) ?? []) {
      if (!meets(kind, to) || meets(kind, from)) continue
      missing[unit]! -= 1
      if (missing[unit] === 0 && waits(unit)) put(queueOf(unit), unit)
    }
  }

  const states = {
    of,
    ready,
    get taken() {
      return taken
    },
    move,
  }
  for (const [release, state] of known) if (state !== 'waiting') move(release, state)
  return states
}

/** Whether an action in this state lets those start that require it by such an edge. */
export function meets(kind: EdgeKind, state: ActionState): boolean {
  return state === 'succeeded' || (kind === 'applied' && APPLIED.has(state))
}

export function isFinal(state: ActionState): boolean {
  return FINAL.has(state)
}

const APPLIED: ReadonlySet<ActionState> = new Set(['applied', 'gating', 'unhealthy'])
const FINAL: ReadonlySet<ActionState> = new Set(['succeeded', 'failed', 'unhealthy', 'skipped'])

function holdsPlace(state: ActionState, startCondition: StartCondition): boolean {
  return state === 'running' || state === 'applied' || (startCondition === 'gate' && state === 'gating')
}

function put(sorted: number[], unit: number): void {
  sorted.splice(placeOf(sorted, unit), 0, unit)
}

function take(sorted: number[], unit: number): void {
  const place = placeOf(sorted, unit)
  if (sorted[place] === unit) sorted.splice(place, 1)
}

function placeOf(sorted: readonly number[], unit: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < unit) low = middle + 1
    else high = middle
  }
  return low
}
