import type {RunEvent} from './events.ts'
import type {RunState} from './run-state.ts'

/** What an observer can read of a run and add to its events. */
export interface ObservedRun {
  /** The state after the latest event. */
  readonly state: RunState
  /** Emits `run-warned` for a problem that does not stop the run. */
  warned(message: string): void
  /** Emits information for the user, as `run-noted`. */
  noted(message: string): void
}

export type RunOutcome = Extract<RunEvent, {type: 'run-finished'}>['outcome']

/** Performs tasks of a run in addition to its actions: labels, its record, its journal, image pulls. */
export interface RunObserver {
  /** Called with each event; must not block the run. */
  readonly observe?: (event: RunEvent, run: ObservedRun) => void
  /**
   * Awaited after all actions have ended, one observer after the other, before `run-finished` is emitted. The
   * outcome is undefined if the run was aborted by a bug.
   */
  readonly finish?: (outcome: RunOutcome | undefined, run: ObservedRun) => Promise<void>
}
