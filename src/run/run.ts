import {asKkError} from '../base/errors.ts'
import type {Action, Plan} from '../plan/plan.ts'
import type {RunEvent, SkipReason} from './events.ts'
import {type Interruption, interrupted, newInterruption} from './interruption.ts'
import {type Ledger, newLedger} from './ledger.ts'
import type {RunObserver, RunOutcome} from './observer.ts'
import {makeSchedule, type Schedule, type StartCondition} from './schedule/schedule.ts'
import {skippedBy, startable} from './schedule/startable.ts'
import type {Controls, Perform} from './task.ts'

export interface RunOptions {
  /** The run's id. */
  readonly run: string
  readonly plan: Plan
  readonly perform: Perform
  /** The number of slots for concurrent changes, at least 1; see `startable`. */
  readonly concurrency: number
  /** When a slot becomes free; by default when helm has ended. */
  readonly startCondition?: StartCondition | undefined
  /** Whether nothing more starts after the first failure; otherwise independent branches continue. */
  readonly failFast?: boolean
  readonly interruption?: Pick<Interruption, 'stop' | 'abort'>
  /** The observers that are awaited before the run finishes, in this order. */
  readonly observers?: readonly RunObserver[]
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * Runs a plan and yields its events; a failed action is an event, not an error. Nothing starts before the
 * first event is requested. If the consumer stops iterating, the run is aborted, and the iterator waits until
 * running actions have ended.
 */
export async function* run(options: RunOptions): AsyncGenerator<RunEvent> {
  const {interruption = newInterruption(), startCondition = 'helm', now = Date.now, ...rest} = options
  const consumerGone = new AbortController()
  const events = newChannel<RunEvent>()
  const ended = runLoop({
    failFast: false,
    observers: [],
    ...rest,
    startCondition,
    now,
    publish: events.push,
    stop: AbortSignal.any([interruption.stop, consumerGone.signal]),
    abort: AbortSignal.any([interruption.abort, consumerGone.signal]),
  }).then(
    () => events.close(),
    (error: unknown) => events.close(error),
  )
  try {
    yield* events.items()
  } finally {
    consumerGone.abort(interrupted())
    await ended
  }
}

interface RunLoopOptions extends Omit<Required<RunOptions>, 'interruption' | 'startCondition'> {
  readonly startCondition: StartCondition
  /** Called with every event, in order. */
  readonly publish: (event: RunEvent) => void
  /** Aborted when nothing more should start. */
  readonly stop: AbortSignal
  /** Aborted when running actions must end. */
  readonly abort: AbortSignal
}

/** Starts actions as soon as they may start, until each has ended or was skipped. */
async function runLoop(options: RunLoopOptions): Promise<void> {
  const {plan, stop, abort, concurrency, failFast, perform, observers, now} = options
  const schedule = makeSchedule(plan.actions, options.startCondition)
  const emit = (event: RunEvent): void => {
    options.publish(event)
    for (const {observe} of observers) observe?.(event, ledger)
  }
  const ledger = newLedger({schedule, emit, now})
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
      ledger.succeeded(action, {revision: action.revision})
      return
    }
    open += 1
    Promise.try(perform, action, makeControls(action, {schedule, ledger, abort, proceed}))
      .then(
        (performed) => ledger.succeeded(action, performed),
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
    // The cause of the loss of one Lease may affect the others, too.
    if (asKkError(error).code === 'KK_LEASE_LOST') skipWaiting(schedule, ledger, 'lease-lost', action)
  }

  const interrupt = (): void => {
    ledger.interrupting()
    skipWaiting(schedule, ledger, 'interrupted')
  }

  const finish = async (outcome: RunOutcome | undefined): Promise<void> => {
    for (const observer of observers) await observer.finish?.(outcome, ledger)
  }

  try {
    ledger.runStarted(options.run, plan)
    stop.addEventListener('abort', interrupt, {once: true})
    if (stop.aborted) interrupt()
    proceed()
    await finished.promise
  } catch (error) {
    await finish(undefined)
    throw error
  } finally {
    stop.removeEventListener('abort', interrupt)
  }
  const outcome = ledger.ended(stop.aborted)
  await finish(outcome)
  ledger.runFinished(outcome)
}

/** Skips all actions that have not started, because of the failed action if there is one. */
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

function makeControls(action: Action, {schedule, ledger, abort, proceed}: ControlsContext): Controls {
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
    onTested: (tests) => ledger.tested(action, tests),
    onApplied: advance('applied'),
    onHelmEnded: advance('gating'),
  }
}

/** A queue between a producer and an iterator. It is unbounded: a slow reader never delays a run. */
export interface Channel<T> {
  push(item: T): void
  /** Ends the iteration, or makes it throw the error, after the items pushed before. */
  close(error?: unknown): void
  items(): AsyncGenerator<T>
}

export function newChannel<T>(): Channel<T> {
  let pushed: T[] = []
  let end: {readonly error: unknown} | undefined
  let wake = Promise.withResolvers<void>()

  return {
    push(item) {
      pushed.push(item)
      wake.resolve()
    },
    close(error) {
      end = {error}
      wake.resolve()
    },
    async *items() {
      while (true) {
        await wake.promise
        wake = Promise.withResolvers()
        const items = pushed
        pushed = []
        yield* items
        if (!end) continue
        if (pushed.length > 0) {
          wake.resolve()
          continue
        }
        if (end.error !== undefined) throw end.error
        return
      }
    },
  }
}

const MAX_CONCURRENT_HELMS = 8
/** The estimated memory of one running helm; most of it is the cluster's OpenAPI description. */
const BYTES_PER_HELM = 300 * 2 ** 20

/**
 * Returns the default number of concurrent helm processes: 8, less if memory is short. `availableBytes` is
 * `process.availableMemory()`.
 */
export function defaultConcurrency(availableBytes: number): number {
  return Math.max(1, Math.min(MAX_CONCURRENT_HELMS, Math.floor(availableBytes / BYTES_PER_HELM)))
}
