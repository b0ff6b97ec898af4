import {beforeAll} from 'vitest'
import {servicesUp} from '../support/catalogue.ts'
import {testStoppedWorkers} from '../support/stopped-workers.ts'

const WORKERS = {
  aodh: ['evaluator', 'listener', 'notifier'],
  barbican: ['worker', 'keystone-listener'],
  ceilometer: ['central', 'notification', 'compute'],
  designate: ['central', 'producer', 'worker'],
  gnocchi: ['metricd', 'statsd'],
  ironic: ['conductor'],
  magnum: ['conductor'],
  manila: ['scheduler', 'share', 'data'],
  octavia: ['housekeeping'],
}

beforeAll(() => servicesUp(['valkey', ...Object.keys(WORKERS)]))

testStoppedWorkers(WORKERS)
