import type {Plan} from '../plan/plan.ts'
import type {Interruption} from './interruption.ts'
import type {Perform} from './perform.ts'
import type {StartCondition} from './schedule/schedule.ts'

export interface RunOptions {
  /** The run's id. */
  readonly run: string
  readonly plan: Plan
  readonly perform: Perform
  /** How many places there are for what is changed at once, at least 1; see `startable`. */
  readonly concurrency: number
  /** When a place is free again; by default when helm has ended. */
  readonly startCondition?: StartCondition | undefined
  /** After the first failure start nothing more; otherwise independent branches go on. */
  readonly failFast?: boolean
  readonly interruption?: Pick<Interruption, 'stop' | 'abort'>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

const MOST = 8
/** Of one helm at work: an estimate, most of it is the cluster's OpenAPI description. */
const BYTES_PER_HELM = 300 * 2 ** 20

/** How many helms run at once unless the user says so: 8, less if memory is short. `availableBytes` as of `process.availableMemory()`. */
export function defaultConcurrency(availableBytes: number): number {
  return Math.max(1, Math.min(MOST, Math.floor(availableBytes / BYTES_PER_HELM)))
}
