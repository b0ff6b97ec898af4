import type {Plan} from '../../plan/plan.ts'
import type {RunEvent} from '../../run/events.ts'

/** The parts of a plan that are reported when there was nothing to do. */
export type Idle = Pick<Plan, 'environment' | 'actions'> & {
  readonly cluster: Pick<Plan['cluster'], 'context'>
}

/** Returns the events of a run with nothing to do: every release is unchanged, and the run has no id. */
export function nothingDone({environment, cluster, actions}: Idle, at: number): readonly RunEvent[] {
  return [
    {
      type: 'run-started',
      at,
      run: '',
      environment,
      context: cluster.context,
      actions: actions.map(({release, requires}) => ({
        release,
        kind: 'unchanged',
        requires: requires.map((required) => required.release),
      })),
    },
    {
      type: 'run-finished',
      at,
      outcome: 'succeeded',
      seconds: 0,
      succeeded: 0,
      failed: 0,
      skipped: 0,
      unchanged: actions.length,
    },
  ]
}
