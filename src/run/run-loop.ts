import {asKkError} from '../errors.ts'
import type {Action, Plan} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import type {FailureDetails, RunEvent, SkipReason} from './events.ts'
import type {Controls} from './perform.ts'
import type {RunOptions} from './run-options.ts'
import {isLimited, makeSchedule, type Schedule} from './schedule/schedule.ts'
import {isFinal, meets, newStates, type States} from './schedule/states.ts'

interface RunLoopOptions
  extends Pick<
    Required<RunOptions>,
    'run' | 'plan' | 'perform' | 'concurrency' | 'startCondition' | 'failFast' | 'now'
  > {
  readonly emit: (event: RunEvent) => void
  /** Start nothing more. */
  readonly stop: AbortSignal
  /** End what runs. */
  readonly abort: AbortSignal
}

/** Starts actions as soon as they may start, until each has ended or was skipped. */
export async function runLoop(options: RunLoopOptions): Promise<void> {
  const {plan, stop, abort, concurrency, failFast, perform} = options
  const schedule = makeSchedule(plan.actions, options.startCondition)
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
 * `limit` bounds how many places there are. At the start condition of helm, which needs memory, an action takes one while its helm
 * runs, and the next may start while its gate is awaited. At the start condition of gates it keeps the place until its gate has
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
    free -= waiting(unit).filter(({kind}) => isLimited(kind, schedule.startCondition)).length
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

interface LedgerOptions {
  readonly schedule: Schedule
  readonly emit: (event: RunEvent) => void
  readonly now: () => number
}

/** The one place where actions change their state and events are made of it. */
interface Ledger {
  readonly states: States
  runStarted(run: string, plan: Plan): void
  interrupting(): void
  started(action: Action): void
  /** Moves a started action on; does nothing when it is there already or has ended. */
  advanced(action: Action, to: 'applied' | 'gating'): void
  progressed(action: Action, progress: Progress): void
  /** The release is about to be changed: what ends it afterwards is a failure, whatever its code. */
  changing(action: Action): void
  deleted(action: Action, object: string): void
  succeeded(action: Action, revision: number): void
  failed(action: Action, error: unknown): void
  skipped(release: ReleaseId, because: ReleaseId | undefined, reason: SkipReason): void
  runFinished(interrupted: boolean): void
}

type Progress = Omit<Extract<RunEvent, {type: 'release-progressed'}>, 'type' | 'at' | 'release'>

function newLedger({schedule, emit, now}: LedgerOptions): Ledger {
  const states = newStates(schedule)
  const startedAt = new Map<ReleaseId, number>()
  const changed = new Set<ReleaseId>()
  const began = now()
  const counts = {succeeded: 0, failed: 0, skipped: 0, unchanged: 0}
  const seconds = (release: ReleaseId) => (now() - (startedAt.get(release) ?? now())) / 1000

  return {
    states,
    runStarted(run, {environment, cluster, actions}) {
      emit({
        type: 'run-started',
        at: began,
        run,
        environment,
        context: cluster.context,
        actions: actions.map(announced),
      })
    },
    interrupting() {
      const running = [...states.of].filter(([, state]) => state !== 'waiting' && !isFinal(state))
      emit({type: 'run-interrupting', at: now(), running: running.map(([release]) => release)})
    },
    started({release, kind}) {
      states.move(release, 'running')
      startedAt.set(release, now())
      if (kind !== 'unchanged') emit({type: 'release-started', at: now(), release, kind})
    },
    advanced({release}, to) {
      const from = states.of.get(release)!
      if (from === 'running' || (from === 'applied' && to === 'gating')) states.move(release, to)
    },
    progressed({release}, progress) {
      if (isFinal(states.of.get(release)!)) return
      emit({type: 'release-progressed', at: now(), release, ...progress})
    },
    changing: ({release}) => void changed.add(release),
    deleted({release}, object) {
      changed.add(release)
      emit({type: 'object-deleted', at: now(), release, object})
    },
    succeeded({release, kind}, revision) {
      states.move(release, 'succeeded')
      counts[kind === 'unchanged' ? 'unchanged' : 'succeeded'] += 1
      emit({type: 'release-succeeded', at: now(), release, kind, revision, seconds: seconds(release)})
    },
    failed({release}, error) {
      states.move(release, states.of.get(release) === 'running' ? 'failed' : 'unhealthy')
      counts.failed += 1
      emit({
        type: 'release-failed',
        at: now(),
        release,
        error: {...failureDetails(error), ...(!changed.has(release) && isRefusal(error) && {refused: true})},
        seconds: seconds(release),
      })
    },
    skipped(release, because, reason) {
      states.move(release, 'skipped')
      counts.skipped += 1
      emit({type: 'release-skipped', at: now(), release, because, reason})
    },
    runFinished(interrupted) {
      const outcome = interrupted ? 'interrupted' : counts.failed > 0 ? 'failed' : 'succeeded'
      emit({type: 'run-finished', at: now(), outcome, seconds: (now() - began) / 1000, ...counts})
    },
  }
}

function announced({release, kind, requires}: Action) {
  const applied = requires.filter((required) => required.kind === 'applied')
  const inferred = requires.filter((required) => required.inferred !== undefined)
  return {
    release,
    kind,
    requires: requires.map((required) => required.release),
    ...(inferred.length > 0 && {inferred: inferred.map((required) => required.release)}),
    ...(applied.length > 0 && {applied: applied.map((required) => required.release)}),
  }
}

/** Whether kk stopped for safety, and not because something went wrong. */
function isRefusal(error: unknown): boolean {
  return asKkError(error).exit === 3
}

/** An error as events carry it: plain data. */
function failureDetails(error: unknown): FailureDetails {
  const {code, message, hint, log} = asKkError(error)
  return {code, message, ...(hint === undefined ? {} : {hint}), log}
}
