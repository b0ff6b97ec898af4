import type {Cause} from '../../../src/kubernetes/gate/health.ts'
import type {Expected} from '../../../src/plan/forecast/action-forecast.ts'
import {releaseName} from '../../../src/release.ts'
import type {FailureDetails, RunEvent} from '../../../src/run/events.ts'
import {recorder} from './recorder.ts'

/** The six services of `environments/all-in-one.yaml`: name → what it requires. */
export const ALL_IN_ONE = {
  mariadb: [],
  memcached: [],
  rabbitmq: [],
  keystone: ['mariadb', 'memcached', 'rabbitmq'],
  glance: ['mariadb', 'memcached', 'rabbitmq', 'keystone'],
  horizon: ['memcached', 'keystone'],
} as const

const KEYSTONE_WAITS: Cause = {
  object: 'Deployment/keystone-api',
  message: '0 of 1 replicas are available',
  pod: 'keystone-api-6f7c9d-x2kqm',
  container: 'init',
  reason: 'PodInitializing',
}

const KEYSTONE_CRASHES: Cause = {...KEYSTONE_WAITS, container: 'keystone-api', reason: 'CrashLoopBackOff'}

export const KEYSTONE_FAILURE: FailureDetails = {
  code: 'KK_UNHEALTHY',
  message:
    'openstack/keystone did not become healthy: Deployment/keystone-api: progress deadline exceeded; pod keystone-api-6f7c9d-x2kqm, container keystone-api: CrashLoopBackOff',
  hint: 'look at the pod with "kubectl -n openstack logs keystone-api-6f7c9d-x2kqm", then deploy again',
  log: ['Traceback (most recent call last):', 'OperationalError: (1045) Access denied for user keystone'],
}

/** A first deploy in which everything comes up. */
export function goodRun(): readonly RunEvent[] {
  const run = recorder(ALL_IN_ONE)
  return [
    run.begin(),
    run.start(0, 'mariadb'),
    run.start(0, 'rabbitmq'),
    run.start(0, 'memcached'),
    run.progress(0.5, 'mariadb', 'helm', 'helm upgrade --install'),
    run.progress(0.5, 'rabbitmq', 'helm', 'helm upgrade --install'),
    run.progress(0.5, 'memcached', 'helm', 'helm upgrade --install'),
    run.progress(2, 'mariadb', 'gate', '', [
      {
        object: 'StatefulSet/mariadb',
        message: '0 of 1 replicas are ready',
        pod: 'mariadb-0',
        reason: 'Pending',
      },
    ]),
    run.succeed(4, 'memcached'),
    run.succeed(9, 'rabbitmq'),
    run.succeed(12, 'mariadb'),
    run.start(12, 'keystone'),
    run.progress(14, 'keystone', 'gate', '', [KEYSTONE_WAITS]),
    run.succeed(31, 'keystone'),
    run.start(31, 'glance'),
    run.start(31, 'horizon'),
    run.progress(32, 'glance', 'helm', 'helm upgrade --install'),
    run.progress(34, 'horizon', 'gate', '', [
      {
        object: 'Deployment/horizon',
        message: '0 of 1 replicas are available',
        pod: 'horizon-58c7b5-8wq4z',
        reason: 'ContainerCreating',
      },
    ]),
    run.succeed(43, 'horizon'),
    run.succeed(47, 'glance'),
    run.finish(47, 'succeeded'),
  ]
}

/** A deploy in which keystone does not become healthy. */
export function brokenRun(): readonly RunEvent[] {
  const run = recorder(ALL_IN_ONE)
  return [
    run.begin(),
    run.start(0, 'mariadb'),
    run.start(0, 'rabbitmq'),
    run.start(0, 'memcached'),
    run.succeed(4, 'memcached'),
    run.succeed(9, 'rabbitmq'),
    run.succeed(12, 'mariadb'),
    run.start(12, 'keystone'),
    run.progress(14, 'keystone', 'gate', '', [KEYSTONE_CRASHES]),
    run.fail(40, 'keystone', KEYSTONE_FAILURE),
    run.skip(40, 'glance', 'keystone'),
    run.skip(40, 'horizon', 'keystone'),
    run.finish(40, 'failed'),
  ]
}

/** The events of a run whose plan expected these durations, by the names of releases. */
export function expecting(
  events: readonly RunEvent[],
  expected: Readonly<Record<string, Expected>>,
): readonly RunEvent[] {
  return events.map((event) => {
    if (event.type !== 'run-started') return event
    const actions = event.actions.map((action) => {
      const of = expected[releaseName(action.release)]
      return of ? {...action, expected: of} : action
    })
    return {...event, actions}
  })
}
