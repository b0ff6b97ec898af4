import {asKkError} from '../base/errors.ts'
import {type Expected, expectedOf} from '../plan/forecast/action-forecast.ts'
import type {Action, Plan} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import type {FailureDetails, RunEvent, SkipReason, TestResult} from './events.ts'
import type {ObservedRun, RunOutcome} from './observer.ts'
import {NO_RUN, stateAfter} from './run-state.ts'
import type {Schedule} from './schedule/schedule.ts'
import {isFinal, newStates, type States} from './schedule/states.ts'
import type {ActionResult} from './task.ts'

interface LedgerOptions {
  readonly schedule: Schedule
  readonly emit: (event: RunEvent) => void
  readonly now: () => number
}

type Progress = Omit<Extract<RunEvent, {type: 'release-progressed'}>, 'type' | 'at' | 'release'>

/** The only place where actions change their state, and where the events of a run are created and folded. */
export interface Ledger extends ObservedRun {
  readonly states: States
  runStarted(run: string, plan: Plan): void
  interrupting(): void
  started(action: Action): void
  /** Moves a started action to a later state; does nothing if it has reached the state or has ended. */
  advanced(action: Action, to: 'applied' | 'gating'): void
  progressed(action: Action, progress: Progress): void
  /** The release is about to be changed: an error afterwards is a failure, whatever its code. */
  changing(action: Action): void
  deleted(action: Action, object: string): void
  tested(action: Action, tests: readonly TestResult[]): void
  succeeded(action: Action, performed: ActionResult): void
  failed(action: Action, error: unknown): void
  skipped(release: ReleaseId, because: ReleaseId | undefined, reason: SkipReason): void
  /** Returns the outcome after all actions have ended. */
  ended(interrupted: boolean): RunOutcome
  runFinished(outcome: RunOutcome): void
}

export function newLedger({schedule, emit: publish, now}: LedgerOptions): Ledger {
  const states = newStates(schedule)
  const startedAt = new Map<ReleaseId, number>()
  const changed = new Set<ReleaseId>()
  const began = now()
  let state = NO_RUN
  /** The events since the state was last read. */
  let unfolded: RunEvent[] = []
  let took = 0
  const counts = {succeeded: 0, failed: 0, skipped: 0, unchanged: 0}
  const seconds = (release: ReleaseId) => (now() - (startedAt.get(release) ?? now())) / 1000
  const emit = (event: RunEvent): void => {
    unfolded.push(event)
    publish(event)
  }

  return {
    states,
    get state() {
      state = stateAfter(state, unfolded)
      unfolded = []
      return state
    },
    warned: (message) => emit({type: 'run-warned', at: now(), message}),
    noted: (message) => emit({type: 'run-noted', at: now(), message}),
    runStarted: (run, plan) => emit(announcedRun(run, plan, began)),
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
    tested: ({release}, tests) => emit({type: 'release-tested', at: now(), release, tests}),
    succeeded({release, kind}, {revision, health}) {
      states.move(release, 'succeeded')
      counts[kind === 'unchanged' ? 'unchanged' : 'succeeded'] += 1
      const took = seconds(release)
      emit({
        type: 'release-succeeded',
        at: now(),
        release,
        kind,
        revision,
        seconds: took,
        ...(health && {health}),
      })
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
    ended(interrupted) {
      took = (now() - began) / 1000
      return interrupted ? 'interrupted' : counts.failed > 0 ? 'failed' : 'succeeded'
    },
    runFinished: (outcome) => emit({type: 'run-finished', at: now(), outcome, seconds: took, ...counts}),
  }
}

/** Returns the event that starts a run; `at` is in milliseconds since the epoch. */
export function announcedRun(run: string, plan: Plan, at: number): RunEvent {
  const {environment, cluster, actions, forecast = []} = plan
  const {context} = cluster
  const expected = new Map(forecast.map((each) => [each.release, expectedOf(each)]))
  const announcing = actions.map((action) => announced(action, expected.get(action.release)))
  return {type: 'run-started', at, run, environment, context, actions: announcing}
}

function announced({release, kind, requires}: Action, expected: Expected | undefined) {
  const applied = requires.filter((required) => required.kind === 'applied')
  const inferred = requires.filter((required) => required.inferred !== undefined)
  return {
    release,
    kind,
    requires: requires.map((required) => required.release),
    ...(inferred.length > 0 && {inferred: inferred.map((required) => required.release)}),
    ...(applied.length > 0 && {applied: applied.map((required) => required.release)}),
    ...(expected && {expected}),
  }
}

/** Returns true if kk stopped for safety, and not because of a failure. */
function isRefusal(error: unknown): boolean {
  return asKkError(error).exit === 3
}

/** Returns an error as plain data for events. */
function failureDetails(error: unknown): FailureDetails {
  const {code, message, hint, log} = asKkError(error)
  return {code, message, ...(hint === undefined ? {} : {hint}), log}
}
