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
    /** What was deleted on its own, not by helm. */
    readonly deleted?: readonly string[]
    /** How each test ended, if the pods of `helm test` report it. */
    readonly tests?: readonly TestResult[]
  } & Omit<Progress, 'blames'>)[]
}

/** Returns the end of a run as one document. */
export function runDocument(state: RunState): RunDocument {
  const releases = [...state.releases.values()].map(({release, kind, progress, deleted, tests}) => ({
    release,
    kind,
    ...progress,
    ...(deleted && {deleted}),
    ...(tests && {tests}),
  }))
  return {run: state.run, environment: state.environment, context: state.context, releases}
}
