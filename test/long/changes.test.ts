import {describe} from 'vitest'
import {describeChanges} from '../e2e/support/describe-changes.ts'
import {allInOne} from '../e2e/support/environment.ts'

const SIX = ['mariadb', 'rabbitmq', 'memcached', 'keystone', 'glance', 'horizon']

describe('changes of the six deployed charts', () => {
  describeChanges({
    content: allInOne,
    withLibrary: SIX,
    all: SIX,
    edited: 'keystone',
    replicas: (api) => ({pod: {replicas: {api}}}),
    set: {release: 'horizon', path: 'pod.replicas.server'},
    beside: {glance: {pod: {replicas: {api: 2}}}, rabbitmq: {conf: {}}},
  })
})
