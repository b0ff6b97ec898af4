import type {ActionKind} from '../plan.ts'

/** The decision what is to be done with one release, and why. */
export interface Decision {
  readonly kind: ActionKind
  readonly reasons: readonly string[]
  /** The status that is recovered, as in `Action`. */
  readonly recovers?: string
  /** Whether the gate must pass again, as in `Action`. */
  readonly recheck?: true
}
