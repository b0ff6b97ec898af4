import type {Cause, PassedHealth} from '../kubernetes/gate/health.ts'
import type {Expected} from '../plan/forecast/action-forecast.ts'
import type {ActionKind} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import type {FailureDetails, RunEvent, SkipReason, TestResult} from './events.ts'
import {NO_TIMES, nextTimes, type Times} from './times.ts'

export type Progress =
  | {readonly state: 'waiting'}
  | {
      readonly state: 'running'
      /** Milliseconds since the epoch. */
      readonly since: number
      readonly phase: string
      readonly message: string
      readonly blames: readonly Cause[]
    }
  | {
      readonly state: 'succeeded'
      readonly revision: number
      readonly seconds: number
      /** The result of its gate; omitted if it is only `healthy`. */
      readonly health?: PassedHealth
    }
  | {
      readonly state: 'failed'
      readonly error: FailureDetails
      readonly seconds: number
      /** The last causes that its gate reported. */
      readonly blames: readonly Cause[]
    }
  | {readonly state: 'skipped'; readonly because: ReleaseId | undefined; readonly reason: SkipReason}
  | {readonly state: 'unchanged'}

export interface ReleaseProgress {
  readonly release: ReleaseId
  readonly kind: ActionKind
  readonly requires: readonly ReleaseId[]
  /** The members of `requires` that are only inferred. */
  readonly inferred: readonly ReleaseId[]
  /** The members of `requires` whose objects need only exist. */
  readonly applied: readonly ReleaseId[]
  /** How long the plan expected it to take. */
  readonly expected?: Expected
  readonly progress: Progress
  /** Objects that were deleted individually, not by helm: `ConfigMap/extra`. */
  readonly deleted?: readonly string[]
  /** The results of tests, if the pods of `helm test` report them. */
  readonly tests?: readonly TestResult[]
  readonly times: Times
}

/** The state of a run after some of its events. */
export interface RunState {
  readonly run: string
  readonly environment: string
  readonly context: string
  /** Milliseconds since the epoch; 0 before `run-started`. */
  readonly startedAt: number
  /** Milliseconds since the epoch, of the last event. */
  readonly lastAt: number
  /** In the order of the plan. */
  readonly releases: ReadonlyMap<ReleaseId, ReleaseProgress>
  /** The releases that were running when the run was interrupted. */
  readonly interrupting: readonly ReleaseId[] | undefined
  /** Milliseconds since the epoch. */
  readonly interruptedAt: number | undefined
  /** Messages for the user, in order. */
  readonly notes: readonly string[]
  readonly finished: Extract<RunEvent, {type: 'run-finished'}> | undefined
}

export const NO_RUN: RunState = {
  run: '',
  environment: '',
  context: '',
  startedAt: 0,
  lastAt: 0,
  releases: new Map(),
  interrupting: undefined,
  interruptedAt: undefined,
  notes: [],
  finished: undefined,
}

/** Returns the state after one more event. Events of releases that the run did not announce are ignored. */
export function nextState(state: RunState, event: RunEvent): RunState {
  return stateAfter(state, [event])
}

/** Returns the state after more events; the releases are copied once for all of them. */
export function stateAfter(before: RunState, events: readonly RunEvent[]): RunState {
  let state = before
  let copy: Map<ReleaseId, ReleaseProgress> | undefined
  for (const event of events) {
    if (!('release' in event)) {
      state = {...state, ...applyRunEvent(state, event)}
      continue
    }
    const current = state.releases.get(event.release)
    const changed = current && nextRelease(current, event)
    if (!changed || changed === current) continue
    if (state.releases !== copy) copy = new Map(state.releases)
    state = {...state, lastAt: event.at, releases: copy.set(changed.release, changed)}
  }
  return state
}

type ReleaseEvent = Extract<RunEvent, {readonly release: ReleaseId}>

/** Returns the changes by an event of the run itself. */
function applyRunEvent({notes}: RunState, event: Exclude<RunEvent, ReleaseEvent>): Partial<RunState> {
  const lastAt = event.at
  switch (event.type) {
    case 'run-started':
      return started(event)
    case 'run-interrupting':
      return {lastAt, interrupting: event.running, interruptedAt: event.at}
    case 'run-warned':
      return {}
    case 'run-noted':
      return {notes: [...notes, event.message]}
    case 'run-finished':
      return {lastAt, finished: event}
  }
}

function nextRelease(current: ReleaseProgress, event: ReleaseEvent): ReleaseProgress {
  const progress = nextProgress(current.progress, event)
  const tested = event.type === 'release-tested' && {tests: event.tests}
  if (progress === current.progress && !tested) return current
  const times = progress.state === 'unchanged' ? NO_TIMES : nextTimes(current.times, event)
  const deleted = event.type === 'object-deleted' && {deleted: [...(current.deleted ?? []), event.object]}
  return {...current, ...deleted, ...tested, progress, times}
}

/** Returns the releases in this state, in the order of the plan. */
export function releasesIn<S extends Progress['state']>(
  state: RunState,
  wanted: S,
): readonly (ReleaseProgress & {readonly progress: Extract<Progress, {state: S}>})[] {
  const releases = [...state.releases.values()].filter(({progress}) => progress.state === wanted)
  return releases as (ReleaseProgress & {progress: Extract<Progress, {state: S}>})[]
}

function started(event: Extract<RunEvent, {type: 'run-started'}>): RunState {
  const {run, environment, context, at, actions} = event
  const releases = new Map<ReleaseId, ReleaseProgress>()
  for (const {release, kind, requires, inferred = [], applied = [], expected} of actions) {
    const progress: Progress = {state: kind === 'unchanged' ? 'unchanged' : 'waiting'}
    const known = {...(expected && {expected}), progress, times: NO_TIMES}
    releases.set(release, {release, kind, requires, inferred, applied, ...known})
  }
  return {...NO_RUN, run, environment, context, startedAt: at, lastAt: at, releases}
}

function nextProgress(before: Progress, event: ReleaseEvent): Progress {
  const blames = before.state === 'running' ? before.blames : []
  switch (event.type) {
    case 'release-started':
      if (event.kind === 'unchanged') return before
      return {state: 'running', since: event.at, phase: '', message: '', blames: []}
    case 'release-progressed':
      if (before.state !== 'running') return before
      return {...before, phase: event.phase, message: event.message, blames: event.blames ?? []}
    case 'object-deleted':
      return before.state === 'running' ? {...before, message: `deleted ${event.object}`} : before
    case 'release-tested':
      return before
    case 'release-succeeded':
      if (event.kind === 'unchanged') return before.state === 'unchanged' ? before : {state: 'unchanged'}
      return {
        state: 'succeeded',
        revision: event.revision,
        seconds: event.seconds,
        ...(event.health && {health: event.health}),
      }
    case 'release-failed':
      return {state: 'failed', error: event.error, seconds: event.seconds, blames}
    case 'release-skipped':
      return {state: 'skipped', because: event.because, reason: event.reason}
  }
}
