import type {Plan} from '../plan/plan.ts'
import type {Interruption} from './interruption.ts'
import type {Perform} from './perform.ts'
import type {Pace} from './schedule/schedule.ts'

export interface RunOptions {
  /** The run's id. */
  readonly run: string
  readonly plan: Plan
  readonly perform: Perform
  /** How many places there are for what is changed at once, at least 1; see `startable`. */
  readonly concurrency: number
  /** When a place is free again; by default when helm has ended. */
  readonly pace?: Pace | undefined
  /** After the first failure start nothing more; otherwise independent branches go on. */
  readonly failFast?: boolean
  readonly interruption?: Pick<Interruption, 'stop' | 'abort'>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}
