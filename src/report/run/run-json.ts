import type {Expected} from '../../plan/forecast/action-forecast.ts'
import type {ReleaseId} from '../../release.ts'
import type {TestResult} from '../../run/events.ts'
import type {Progress, RunState} from '../../run/run-state.ts'

/** The document of `kk deploy --output json` after the run. Fields are added, never renamed or removed. */
export interface RunDocument {
  readonly run: string
  readonly environment: string
  readonly context: string
  readonly releases: readonly ({
    readonly release: ReleaseId
    readonly kind: string
    /** How long the plan expected it to take. */
    readonly expected?: Expected
    /** What was deleted on its own, not by helm. */
    readonly deleted?: readonly string[]
    /** How each test ended, if the pods of `helm test` report it. */
    readonly tests?: readonly TestResult[]
  } & Omit<Progress, 'blames'>)[]
}

/** Returns the end of a run as one document. */
export function runDocument(state: RunState): RunDocument {
  const releases = [...state.releases.values()].map(
    ({release, kind, expected, progress, deleted, tests}) => ({
      release,
      kind,
      ...(expected && {expected}),
      ...progress,
      ...(deleted && {deleted}),
      ...(tests && {tests}),
    }),
  )
  return {run: state.run, environment: state.environment, context: state.context, releases}
}
