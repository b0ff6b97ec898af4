import type {Cause, PassedHealth} from '../kubernetes/gate/health.ts'
import type {Expected} from '../plan/forecast/action-forecast.ts'
import type {ActionKind} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'

export interface FailureDetails {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly log: readonly string[]
  /** Set if it was refused for safety before any change to the release. */
  readonly refused?: true
}

/** The result of one test of a pod of `helm test`. */
export interface TestResult {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Omitted if the pod does not report it. */
  readonly seconds?: number
  /** The reason of a skip or a failure. */
  readonly text?: string
}

/** `lease-lost`: after the loss of one Lease nothing more starts. */
export type SkipReason = 'failed' | 'skipped' | 'fail-fast' | 'lease-lost' | 'interrupted'

/** An event of a run, in order. `at` is in milliseconds since the epoch. */
export type RunEvent =
  | {
      readonly type: 'run-started'
      readonly at: number
      readonly run: string
      readonly environment: string
      readonly context: string
      readonly actions: readonly {
        readonly release: ReleaseId
        readonly kind: ActionKind
        readonly requires: readonly ReleaseId[]
        /** The members of `requires` that are only inferred; omitted if there are none. */
        readonly inferred?: readonly ReleaseId[]
        /** The members of `requires` whose objects need only exist; omitted if there are none. */
        readonly applied?: readonly ReleaseId[]
        /** How long it takes by the forecast of the plan. */
        readonly expected?: Expected
      }[]
    }
  | {readonly type: 'run-interrupting'; readonly at: number; readonly running: readonly ReleaseId[]}
  /** A problem that does not stop the run. */
  | {readonly type: 'run-warned'; readonly at: number; readonly message: string}
  /** Information for the user. */
  | {readonly type: 'run-noted'; readonly at: number; readonly message: string}
  | {
      readonly type: 'release-started'
      readonly at: number
      readonly release: ReleaseId
      readonly kind: ActionKind
    }
  | {
      readonly type: 'release-progressed'
      readonly at: number
      readonly release: ReleaseId
      readonly phase: 'validate' | 'lease' | 'helm' | 'gate'
      readonly message: string
      readonly blames?: readonly Cause[]
    }
  /** Deleted individually, not by helm. */
  | {
      readonly type: 'object-deleted'
      readonly at: number
      readonly release: ReleaseId
      /** The object, e.g. `ConfigMap/extra`. */
      readonly object: string
    }
  /** The results that its pods of `helm test` reported. */
  | {
      readonly type: 'release-tested'
      readonly at: number
      readonly release: ReleaseId
      readonly tests: readonly TestResult[]
    }
  | {
      readonly type: 'release-succeeded'
      readonly at: number
      readonly release: ReleaseId
      readonly kind: ActionKind
      readonly revision: number
      readonly seconds: number
      /** The result of its gate; omitted if it is only `healthy`. */
      readonly health?: PassedHealth
    }
  | {
      readonly type: 'release-failed'
      readonly at: number
      readonly release: ReleaseId
      readonly error: FailureDetails
      readonly seconds: number
    }
  | {
      readonly type: 'release-skipped'
      readonly at: number
      readonly release: ReleaseId
      readonly because: ReleaseId | undefined
      readonly reason: SkipReason
    }
  | {
      readonly type: 'run-finished'
      readonly at: number
      readonly outcome: 'succeeded' | 'failed' | 'interrupted'
      readonly seconds: number
      readonly succeeded: number
      readonly failed: number
      readonly skipped: number
      readonly unchanged: number
    }
