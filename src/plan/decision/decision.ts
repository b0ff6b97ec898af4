import type {ActionKind} from '../plan.ts'

/** The decision what is to be done with one release, and why. */
export interface Decision {
  readonly kind: ActionKind
  readonly reasons: readonly string[]
  /** As `Action.recovers`. */
  readonly recovers?: string
  /** As `Action.recheck`. */
  readonly recheck?: true
}
