import type {RunEvent} from '../../../../src/run/events.ts'
import {NO_RUN, nextState, type RunState} from '../../../../src/run/run-state.ts'
import {recorder} from '../../support/recorder.ts'

export function stateOf(events: readonly RunEvent[]): RunState {
  return events.reduce(nextState, NO_RUN)
}

/** Ctrl-C while mariadb runs; the second one ends it before it has said how it ended. */
export function brokenOff(): readonly RunEvent[] {
  const run = recorder({mariadb: [], keystone: ['mariadb'], rabbitmq: []}, {rabbitmq: 'unchanged'})
  return [
    run.begin(),
    run.start(0, 'mariadb'),
    run.progress(1, 'mariadb', 'helm', 'helm install'),
    run.interrupt(3, ['mariadb']),
    run.skip(3, 'keystone', undefined, 'interrupted'),
  ]
}

/** One release that fails with this text everywhere that a text can be. */
export function failing(text: string): readonly RunEvent[] {
  const run = recorder({mariadb: []})
  const cause = {object: `Deployment/${text}`, message: text, pod: `pod ${text}`, log: [text]}
  return [
    {...run.begin(), environment: text, context: text} as RunEvent,
    run.start(0, 'mariadb'),
    run.progress(1, 'mariadb', 'gate', text, [cause]),
    run.fail(2, 'mariadb', {code: 'KK_UNHEALTHY', message: text, hint: text, log: [text]}),
    run.finish(2, 'failed'),
  ]
}
