import {asKkError} from '../errors.ts'
import type {Action} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import type {RunEvent, SkipReason} from './events.ts'
import {type Ledger, newLedger} from './ledger.ts'
import type {Controls} from './perform.ts'
import type {RunOptions} from './run-options.ts'
import {isLimited, makeSchedule, type Schedule} from './schedule/schedule.ts'
import {meets, type States} from './schedule/states.ts'

interface ConductOptions
  extends Pick<
    Required<RunOptions>,
    'run' | 'plan' | 'perform' | 'concurrency' | 'pace' | 'failFast' | 'now'
  > {
  readonly emit: (event: RunEvent) => void
  /** Start nothing more. */
  readonly stop: AbortSignal
  /** End what runs. */
  readonly abort: AbortSignal
}

/** Starts actions as soon as they may start, until each has ended or was skipped. */
export async function conduct(options: ConductOptions): Promise<void> {
  const {plan, stop, abort, concurrency, failFast, perform} = options
  const schedule = makeSchedule(plan.actions, options.pace)
  const ledger = newLedger({schedule, emit: options.emit, now: options.now})
  const finished = Promise.withResolvers<void>()
  let open = 0

  const proceed = (): void => {
    for (let next = nextActions(); next.length > 0; next = nextActions()) {
      for (const action of next) ledger.started(action)
      for (const action of next) work(action)
    }
    if (open === 0) finished.resolve()
  }
  const nextActions = () => (stop.aborted ? [] : startable(schedule, ledger.states, concurrency))

  const work = (action: Action): void => {
    if (action.kind === 'unchanged') {
      ledger.succeeded(action, action.revision)
      return
    }
    open += 1
    Promise.try(perform, action, controlsOf(action, {schedule, ledger, abort, proceed}))
      .then(
        ({revision}) => ledger.succeeded(action, revision),
        (error: unknown) => fail(action, error),
      )
      .then(() => {
        open -= 1
        proceed()
      })
      .catch(finished.reject)
  }

  const fail = (action: Action, error: unknown): void => {
    ledger.failed(action, error)
    for (const {release, direct} of skippedBy(schedule, ledger.states, action.release)) {
      ledger.skipped(release, action.release, direct ? 'failed' : 'skipped')
    }
    if (failFast) skipWaiting(schedule, ledger, 'fail-fast', action)
    // What took one Lease away may have taken the others, too.
    if (asKkError(error).code === 'KK_LEASE_LOST') skipWaiting(schedule, ledger, 'lease-lost', action)
  }

  const interrupt = (): void => {
    ledger.interrupting()
    skipWaiting(schedule, ledger, 'interrupted')
  }

  ledger.runStarted(options.run, plan)
  stop.addEventListener('abort', interrupt, {once: true})
  if (stop.aborted) interrupt()
  try {
    proceed()
    await finished.promise
  } finally {
    stop.removeEventListener('abort', interrupt)
  }
  ledger.runFinished(stop.aborted)
}

/** Skips all that has not started, because of the failed action if there is one. */
function skipWaiting(schedule: Schedule, ledger: Ledger, reason: SkipReason, failed?: Action): void {
  for (const release of schedule.actionOf.keys()) {
    if (ledger.states.of.get(release) !== 'waiting') continue
    ledger.skipped(release, failed?.release, reason)
  }
}

interface ControlsContext {
  readonly schedule: Schedule
  readonly ledger: Ledger
  readonly abort: AbortSignal
  readonly proceed: () => void
}

function controlsOf(action: Action, {schedule, ledger, abort, proceed}: ControlsContext): Controls {
  const advance = (to: 'applied' | 'gating') => () => {
    ledger.advanced(action, to)
    proceed()
  }
  return {
    signal: abort,
    appliedAwaited: (schedule.waiters.get(action.release) ?? []).some(({kind}) => kind === 'applied'),
    onProgress: (phase, message, blames) =>
      ledger.progressed(action, {phase, message, ...(blames ? {blames} : {})}),
    onChanging: () => ledger.changing(action),
    onDeleted: (object) => ledger.deleted(action, object),
    onApplied: advance('applied'),
    onHelmEnded: advance('gating'),
  }
}

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
