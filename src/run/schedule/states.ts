import type {ReleaseId} from '../../release.ts'
import {isLimited, type Schedule, type StartCondition, type Waiter} from './schedule.ts'

/**
 * waiting → running → applied → gating → succeeded. running: helm runs. applied: its objects exist, helm may
 * still wait for hooks. gating: helm has ended, its health is awaited. Steps may be skipped. failed: before
 * its objects existed; unhealthy: after that. skipped: never started.
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
 * The state of every action of a run, with counters for `startable`. `move` mutates it: a copy at each step
 * would cost O(actions).
 */
export interface States {
  readonly of: ReadonlyMap<ReleaseId, ActionState>
  /**
   * Units with waiting actions whose requirements are met, by urgency: those that need a slot, and others.
   */
  readonly ready: {readonly limited: readonly number[]; readonly free: readonly number[]}
  /** The number of occupied slots. */
  readonly occupied: number
  move(release: ReleaseId, to: ActionState): void
}

/** Returns the states of a new run, or of a resumed run with the recorded states. */
export function newStates(
  schedule: Schedule,
  recorded: ReadonlyMap<ReleaseId, ActionState> = new Map(),
): States {
  const of = new Map<ReleaseId, ActionState>(
    [...schedule.actionOf.keys()].map((release) => [release, 'waiting']),
  )
  const missing = schedule.units.map((unit) => unit.requirements)
  const ready = {limited: [] as number[], free: [] as number[]}
  let occupied = 0

  const readyQueue = (unit: number) => (schedule.units[unit]!.limited ? ready.limited : ready.free)
  const waits = (unit: number) =>
    schedule.units[unit]!.actions.some((action) => of.get(action.release) === 'waiting')
  for (const [unit, {requirements}] of schedule.units.entries()) {
    if (requirements === 0) readyQueue(unit).push(unit)
  }

  const move = (release: ReleaseId, to: ActionState): void => {
    const from = of.get(release)!
    const own = schedule.unitOf.get(release)!
    of.set(release, to)
    if (from === 'waiting' && !waits(own)) take(readyQueue(own), own)
    if (isLimited(schedule.actionOf.get(release)!.kind, schedule.startCondition))
      occupied +=
        Number(holdsPlace(to, schedule.startCondition)) - Number(holdsPlace(from, schedule.startCondition))
    for (const {unit, kind} of schedule.waiters.get(release) ?? []) {
      if (!meets(kind, to) || meets(kind, from)) continue
      missing[unit]! -= 1
      if (missing[unit] === 0 && waits(unit)) put(readyQueue(unit), unit)
    }
  }

  const states = {
    of,
    ready,
    get occupied() {
      return occupied
    },
    move,
  }
  for (const [release, state] of recorded) if (state !== 'waiting') move(release, state)
  return states
}

/** Returns true if an action in this state meets an edge of this kind. */
export function meets(kind: Waiter['kind'], state: ActionState): boolean {
  if (kind === 'ended') return isFinal(state)
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
  sorted.splice(insertionIndex(sorted, unit), 0, unit)
}

function take(sorted: number[], unit: number): void {
  const place = insertionIndex(sorted, unit)
  if (sorted[place] === unit) sorted.splice(place, 1)
}

function insertionIndex(sorted: readonly number[], unit: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < unit) low = middle + 1
    else high = middle
  }
  return low
}
