import type {ReleaseId} from '../../release.ts'
import type {ReleaseProgress, RunState} from '../../run/run-state.ts'

/** How a run ended; broken off: its events ended before it did. */
export type RunOutcome = 'succeeded' | 'failed' | 'interrupted' | 'broken-off'

/** When a run was, in milliseconds since the epoch, and how it ended. */
export interface RunSpan {
  readonly startedAt: number
  readonly endedAt: number
  readonly seconds: number
  readonly outcome: RunOutcome
}

export function runSpan({startedAt, lastAt, finished}: RunState): RunSpan {
  const seconds = finished?.seconds ?? (lastAt - startedAt) / 1000
  return {startedAt, endedAt: lastAt, seconds, outcome: finished?.outcome ?? 'broken-off'}
}

/** Returns the requirement that a release waited for: the last one that ended before it started. */
export function lastAwaited({requires, times}: ReleaseProgress, state: RunState): ReleaseId | undefined {
  const {startedAt} = times
  if (startedAt === undefined) return undefined
  let last: {readonly release: ReleaseId; readonly endedAt: number} | undefined
  for (const release of requires) {
    const endedAt = state.releases.get(release)?.times.endedAt
    if (endedAt === undefined || endedAt > startedAt || endedAt < (last?.endedAt ?? 0)) continue
    last = {release, endedAt}
  }
  return last?.release
}
