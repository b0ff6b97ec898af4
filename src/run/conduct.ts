import {asKkError} from '../errors.ts'
import type {Action} from '../plan/plan.ts'
import type {RunEvent, SkipReason} from './events.ts'
import {type Ledger, newLedger} from './ledger.ts'
import type {Controls} from './perform.ts'
import type {RunOptions} from './run-options.ts'
import {makeSchedule, type Schedule} from './schedule/schedule.ts'
import {skippedBy} from './schedule/skipped-by.ts'
import {startable} from './schedule/startable.ts'

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
