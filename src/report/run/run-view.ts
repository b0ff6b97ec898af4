import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, nextState, type RunState} from '../../run/run-state.ts'

/**
 * A view of a run. It gets every event in order, with the fold of all events up to it, and is closed once,
 * also after an error.
 */
export interface RunView {
  show(event: RunEvent, state: RunState): void
  /** Resolves when all is written and the stream is as it was. */
  close(): Promise<void>
}

/**
 * Folds the events of a run, shows each with the fold to every view, and returns the last fold. An error of
 * the events is thrown after the views are closed.
 */
export async function watchRun(
  events: AsyncIterable<RunEvent> | Iterable<RunEvent>,
  views: readonly RunView[],
): Promise<RunState> {
  let state = NO_RUN
  try {
    for await (const event of events) {
      state = nextState(state, event)
      for (const view of views) view.show(event, state)
    }
  } finally {
    for (const view of views) await view.close()
  }
  return state
}
