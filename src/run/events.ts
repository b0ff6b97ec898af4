import type {Cause, PassedHealth} from '../kubernetes/gate/health.ts'
import type {ActionKind} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'

export interface FailureDetails {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly log: readonly string[]
  /** It was refused for safety before anything of the release was changed. */
  readonly refused?: true
}

/** How one test ended of those that a pod of `helm test` runs. */
export interface TestResult {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Left out where the pod does not say it. */
  readonly seconds?: number
  /** The reason of a skip or a failure. */
  readonly text?: string
}

/** `lease-lost`: after the loss of one Lease nothing more starts. */
export type SkipReason = 'failed' | 'skipped' | 'fail-fast' | 'lease-lost' | 'interrupted'

/** Everything that happens in a run, in order. `at` is milliseconds since the epoch. */
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
        /** Those of `requires` that nobody wrote down; left out when there are none. */
        readonly inferred?: readonly ReleaseId[]
        /** Those of `requires` whose objects need only exist; left out when there are none. */
        readonly applied?: readonly ReleaseId[]
      }[]
    }
  | {readonly type: 'run-interrupting'; readonly at: number; readonly running: readonly ReleaseId[]}
  /** Something that the run goes on without. */
  | {readonly type: 'run-warned'; readonly at: number; readonly message: string}
  /** Something that is good to know. */
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
  /** Deleted on its own, not by helm. */
  | {
      readonly type: 'object-deleted'
      readonly at: number
      readonly release: ReleaseId
      /** E.g. `ConfigMap/extra`. */
      readonly object: string
    }
  /** Its pods of `helm test` have told how each of their tests ended. */
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
      /** How its gate has passed, if there is more to say than that all of it is healthy. */
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
