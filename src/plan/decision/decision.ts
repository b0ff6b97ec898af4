import type {ActionKind} from '../plan.ts'

/** What is to be done with one release, and why. */
export interface Decision {
  readonly kind: ActionKind
  readonly reasons: readonly string[]
  /** As `Action.recovers`. */
  readonly recovers?: string
  /** See `Action`. */
  readonly recheck?: true
}
