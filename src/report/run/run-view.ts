import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, nextState, type RunState} from '../../run/run-state.ts'

/** One audience of a run. It is shown every event in order, with what is known after it, and closed once, whatever happens. */
export interface RunView {
  show(event: RunEvent, state: RunState): void
  /** Resolves when all is written and the stream is as it was. */
  close(): Promise<void>
}

/**
 * Shows a run to every view until its events end, and returns where it ended. What the events throw is thrown on,
 * after the views are closed.
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
