import type {RunEvent} from './events.ts'
import type {RunState} from './run-state.ts'

/** What an observer reads of a run, and how it adds to what the run tells. */
export interface ObservedRun {
  /** What is known after the event that was made last. */
  readonly state: RunState
  /** Tells something that the run goes on without, as `run-warned`. */
  warned(message: string): void
  /** Tells something that is good to know, as `run-noted`. */
  noted(message: string): void
}

export type RunOutcome = Extract<RunEvent, {type: 'run-finished'}>['outcome']

/** Does what belongs to a run beside its actions: labels, its record, its journal, pulls of images. */
export interface RunObserver {
  /** Is told of each event when it is made, and does not hold up the run. */
  readonly observe?: (event: RunEvent, run: ObservedRun) => void
  /**
   * Is awaited when nothing is at work any more, one observer after the other, and before `run-finished` is told. The outcome
   * is undefined when the run broke off by a bug.
   */
  readonly finish?: (outcome: RunOutcome | undefined, run: ObservedRun) => Promise<void>
}
