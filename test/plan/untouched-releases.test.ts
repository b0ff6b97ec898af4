import {expect, test} from 'vitest'
import {untouchedReleases} from '../../src/plan/make-plan.ts'
import {graphOf, id} from '../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf} from './fixtures.ts'

test('releases that concern the environment and stay unchanged are listed', () => {
  const records = [
    bareRecord(id('prometheus')),
    bareRecord(id('monitoring/grafana')),
    recordOf(desiredOf('horizon')),
    recordOf(desiredOf('mariadb', {owner: 'infra'})),
    recordOf(desiredOf('rabbitmq', {owner: 'infra'})),
    recordOf(desiredOf('keystone')),
  ]

  const result = untouchedReleases({
    environment: 'all-in-one',
    graph: graphOf({keystone: ['mariadb'], mariadb: []}),
    records,
  })

  expect(result).toEqual([
    expect.objectContaining({release: 'openstack/horizon', state: 'no-longer-wanted'}),
    expect.objectContaining({release: 'openstack/prometheus', state: 'foreign'}),
  ])
})

test('a release of which only the history is left is not listed', () => {
  const records = [recordOf(desiredOf('horizon'), {status: 'uninstalled'})]

  const result = untouchedReleases({environment: 'all-in-one', graph: graphOf({keystone: []}), records})

  expect(result).toEqual([])
})
