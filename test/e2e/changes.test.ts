import {describe} from 'vitest'
import {describeChanges} from './support/describe-changes.ts'
import {allInOne, FIXTURES, only} from './support/environment.ts'

describe('changes of two charts of kk and one chart without the library', () => {
  describeChanges({
    async content(charts) {
      const sections = only(await allInOne(), 'memcached', 'rabbitmq')
      const releases = {web: {chart: 'workload'}}
      return {...sections, web: {}, kk: {charts: [charts, FIXTURES], releases}}
    },
    withLibrary: ['memcached', 'rabbitmq'],
    all: ['memcached', 'rabbitmq', 'web'],
    edited: 'memcached',
    replicas: (server) => ({pod: {replicas: {server}}}),
    set: {release: 'web', path: 'replicas'},
    beside: {web: {conf: {a: 'b'}}, rabbitmq: {conf: {}}},
  })
})
