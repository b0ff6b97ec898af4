import {type ErrorCode, KkError} from '../base/errors.ts'
import {isOfKilledHelm} from '../helm/failure.ts'
import type {ReleaseId} from '../release.ts'
import type {FailureDetails, RunEvent} from '../run/events.ts'
import type {Interruption} from '../run/interruption.ts'
import {NO_RUN, nextState, type RunState, releasesIn} from '../run/run-state.ts'
import {isTransient} from './decision.ts'
import type {Heartbeat} from './work-queue.ts'

interface FollowOptions {
  readonly interruption: Interruption
  readonly heartbeat: Heartbeat
  /** The longest time that one action may take, in milliseconds: so long a gate may say nothing. */
  readonly longestActionMs: number
  readonly onState: (state: RunState) => void
  /** Asked once where another process has ended a helm, as for want of memory: whether that is tried again by itself. */
  readonly mayRetry?: () => boolean
  /** Told how long the gate of a release was closed when its action ends, in seconds. */
  readonly onGate?: (release: ReleaseId, result: GateResult, seconds: number) => void
}

export type GateResult = 'passed' | 'failed'

interface RunResult {
  readonly run: RunState
  /** What has failed and does not pass by itself. */
  readonly failure: string | undefined
}

/** Beside the time of an action: what others hold is waited for before it begins. */
const HEARTBEAT_MARGIN_MS = 1_800_000

/** Follows a run of the operator to its end. Throws what has failed and may pass by itself. */
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
    // Nothing of what is left is worth waiting for: the next pass, or the next leader, waits at the same gates.
    if (interruption.stop.aborted && !interruption.abort.aborted && isOnlyGating(run))
      interruption.interrupt()
  }
  const all = releasesIn(run, 'failed').filter(({progress}) => progress.error.code !== 'KK_INTERRUPTED')
  const isKilled = ({message}: FailureDetails) => isOfKilledHelm(message)
  const repeats = all.some(({progress}) => isKilled(progress.error)) && mayRetry()
  const mayPass = (error: FailureDetails) => isTransient(error.code) || (repeats && isKilled(error))
  const lasting = all.find(({progress}) => !mayPass(progress.error))
  const failed = lasting ?? all[0]
  if (!failed) return {run, failure: undefined}
  const {code, message} = failed.progress.error
  if (!lasting) throw new KkError(code as ErrorCode, message)
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

/** Whether no helm is at work, and none is about to be: after its gate has begun, helm does nothing more to a release. */
function isOnlyGating(run: RunState): boolean {
  return releasesIn(run, 'running').every(({progress}) => progress.phase === 'gate')
}
