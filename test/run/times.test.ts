import {expect, it} from 'vitest'
import type {RunEvent} from '../../src/run/events.ts'
import {NO_RUN, nextState} from '../../src/run/run-state.ts'
import {START} from '../report/support/clock.ts'
import {recorder} from '../report/support/recorder.ts'

const RUN = recorder(
  {mariadb: [], keystone: ['mariadb'], glance: ['keystone'], rabbitmq: []},
  {rabbitmq: 'unchanged'},
)

/** The times of each release, in seconds since the run began. */
function timesAfter(...events: readonly RunEvent[]) {
  const {releases} = events.reduce(nextState, NO_RUN)
  const second = (at: number | undefined) => (at === undefined ? undefined : (at - START) / 1000)
  return Object.fromEntries(
    [...releases].map(([release, {times}]) => [
      release.replace('openstack/', ''),
      {
        from: second(times.startedAt),
        to: second(times.endedAt),
        phases: times.phases.map(({phase, since, until}) => `${phase} ${second(since)} to ${second(until)}`),
      },
    ]),
  )
}

it('a phase lasts from its first event to the next phase, or to the end of the release', () => {
  const times = timesAfter(
    RUN.begin(),
    RUN.start(1, 'mariadb'),
    RUN.progress(2, 'mariadb', 'helm', 'helm install'),
    RUN.progress(3, 'mariadb', 'helm', 'its hook waits'),
    RUN.progress(5, 'mariadb', 'gate', 'waiting for health'),
    RUN.succeed(9, 'mariadb'),
  )

  expect(times.mariadb).toEqual({from: 1, to: 9, phases: ['helm 2 to 5', 'gate 5 to 9']})
})

it('a release that has not ended has no end, nor has its phase', () => {
  const times = timesAfter(
    RUN.begin(),
    RUN.start(1, 'mariadb'),
    RUN.progress(2, 'mariadb', 'helm', 'helm install'),
  )

  expect(times.mariadb).toEqual({from: 1, to: undefined, phases: ['helm 2 to undefined']})
})

it('a skipped release has an end and no start, an unchanged one neither', () => {
  const times = timesAfter(
    RUN.begin(),
    RUN.succeed(0, 'rabbitmq'),
    RUN.start(1, 'mariadb'),
    RUN.fail(4, 'mariadb', {code: 'KK_HELM_FAILED', message: 'helm install failed', log: []}),
    RUN.skip(4, 'keystone', 'mariadb'),
  )

  expect(times).toMatchObject({
    mariadb: {from: 1, to: 4},
    keystone: {from: undefined, to: 4},
    glance: {from: undefined, to: undefined},
    rabbitmq: {from: undefined, to: undefined},
  })
})
