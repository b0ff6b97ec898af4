import type {ReleaseId} from '../../release.ts'
import type {RunState} from '../../run/run-state.ts'
import type {Times} from '../../run/times.ts'
import {type RunDocument, runDocument} from '../run/run-json.ts'
import {type RunOutcome, runSpan} from './run-span.ts'

/**
 * The document of `--report json=FILE`: the same as `--output json`, with times. Times are ISO 8601 in UTC.
 * Fields are added, never renamed or removed.
 */
interface RunReport extends Omit<RunDocument, 'run' | 'releases'> {
  /** Null if there was nothing to do. */
  readonly run: string | null
  readonly outcome: RunOutcome
  readonly startedAt: string
  readonly endedAt: string
  readonly seconds: number
  readonly releases: readonly (RunDocument['releases'][number] & {
    readonly requires: readonly ReleaseId[]
    /** Those of `requires` whose objects need only exist. */
    readonly applied: readonly ReleaseId[]
    readonly startedAt?: string
    readonly endedAt?: string
    readonly phases: readonly {
      readonly phase: string
      readonly startedAt: string
      /** Undefined if its end is unknown. */
      readonly seconds?: number
    }[]
  })[]
}

/** A run as one JSON document. */
export function jsonReport(state: RunState): string {
  const {startedAt, endedAt, seconds, outcome} = runSpan(state)
  const {run, environment, context, releases} = runDocument(state)
  const report: RunReport = {
    run: run === '' ? null : run,
    environment,
    context,
    outcome,
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    seconds,
    releases: releases.map((release) => {
      const {requires, applied, times} = state.releases.get(release.release)!
      return {...release, requires, applied, ...timesOf(times)}
    }),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

function timesOf({startedAt, endedAt, phases}: Times) {
  return {
    ...(startedAt !== undefined && {startedAt: isoTime(startedAt)}),
    ...(endedAt !== undefined && {endedAt: isoTime(endedAt)}),
    phases: phases.map(({phase, since, until}) => ({
      phase,
      startedAt: isoTime(since),
      ...(until !== undefined && {seconds: (until - since) / 1000}),
    })),
  }
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
