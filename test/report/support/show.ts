import type {RunView} from '../../../src/report/run/run-view.ts'
import type {RunEvent} from '../../../src/run/events.ts'
import {NO_RUN, nextState} from '../../../src/run/run-state.ts'

/** Returns what shows events to a view, one by one, each with the state after it. */
export function showTo(view: RunView): (event: RunEvent) => void {
  let state = NO_RUN
  return (event) => {
    state = nextState(state, event)
    view.show(event, state)
  }
}
