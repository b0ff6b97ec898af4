import {type ErrorCode, KkError} from '../base/errors.ts'
import {isOfKilledHelm} from '../helm/failure.ts'
import type {ReleaseId} from '../release.ts'
import type {FailureDetails, RunEvent} from '../run/events.ts'
import type {Interruption} from '../run/interruption.ts'
import {NO_RUN, nextState, type RunState, releasesIn} from '../run/run-state.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../run/task.ts'
import {isTransient} from './decision.ts'
import type {Heartbeat} from './work-queue.ts'

interface FollowOptions {
  readonly interruption: Interruption
  readonly heartbeat: Heartbeat
  /** The longest timeout of an action, in milliseconds: a gate can be silent for that long. */
  readonly longestActionMs: number
  readonly onState: (state: RunState) => void
  /**
   * Called once if another process has killed helm, such as the OOM killer: whether the action is retried
   * automatically.
   */
  readonly mayRetry?: () => boolean
  /** Called when an action ends, with the duration of its gate in seconds. */
  readonly onGate?: (release: ReleaseId, result: GateResult, seconds: number) => void
}

export type GateResult = 'passed' | 'failed'

interface RunResult {
  readonly run: RunState
  /** The failure that a retry does not resolve. */
  readonly failure: string | undefined
}

/** In addition to the timeout of an action, for the wait until other processes release their Leases. */
const HEARTBEAT_MARGIN_MS = 1_800_000

/**
 * Follows a run of the operator to its end. Throws transient failures, which the next reconciliation retries.
 */
export async function followRun(
  events: AsyncIterable<RunEvent>,
  {interruption, heartbeat, longestActionMs, onState, onGate, mayRetry = () => false}: FollowOptions,
): Promise<RunResult> {
  let run = NO_RUN
  heartbeat(longestActionMs + HEARTBEAT_MARGIN_MS)
  for await (const event of events) {
    heartbeat(longestActionMs + HEARTBEAT_MARGIN_MS)
    run = nextState(run, event)
    onState(run)
    if (onGate) reportGate(event, run, onGate)
    // The next reconciliation, or the next leader, waits at the same gates.
    if (interruption.stop.aborted && !interruption.abort.aborted && isOnlyGating(run))
      interruption.interrupt()
  }
  const all = releasesIn(run, 'failed').filter(({progress}) => progress.error.code !== 'KK_INTERRUPTED')
  const isKilled = ({message}: FailureDetails) => isOfKilledHelm(message)
  const repeats = all.some(({progress}) => isKilled(progress.error)) && mayRetry()
  const isRetried = (error: FailureDetails) => isTransient(error.code) || (repeats && isKilled(error))
  const permanent = all.find(({progress}) => !isRetried(progress.error))
  const failed = permanent ?? all[0]
  if (!failed) return {run, failure: undefined}
  const {code, message} = failed.progress.error
  if (!permanent) throw new KkError(code as ErrorCode, message)
  return {run, failure: `${failed.release} has failed: ${message}`}
}

function reportGate(event: RunEvent, run: RunState, onGate: NonNullable<FollowOptions['onGate']>): void {
  if (event.type !== 'release-succeeded' && event.type !== 'release-failed') return
  const phases = run.releases.get(event.release)?.times.phases ?? []
  const gates = phases.filter(({phase}) => phase === 'gate')
  if (gates.length === 0) return
  const milliseconds = gates.reduce((sum, {since, until = since}) => sum + until - since, 0)
  onGate(event.release, event.type === 'release-succeeded' ? 'passed' : 'failed', milliseconds / 1000)
}

/** Returns whether every running action waits at its gate: helm has ended then. */
function isOnlyGating(run: RunState): boolean {
  return releasesIn(run, 'running').every(({progress}) => progress.phase === 'gate')
}

/** Returns the longest timeout of an action, in milliseconds: a gate can be silent for that long. */
export function findLongestActionMs(
  releases: Iterable<{readonly timeoutSeconds?: number | undefined}>,
): number {
  const each = [...releases].map(({timeoutSeconds = DEFAULT_TIMEOUT_SECONDS}) => timeoutSeconds * 1000)
  return Math.max(DEFAULT_TIMEOUT_SECONDS * 1000, ...each)
}
