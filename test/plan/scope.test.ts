import {expect, test} from 'vitest'
import {scope} from '../../src/plan/scope.ts'
import {graphOf, id} from '../graph/graph-of.ts'

const graph = graphOf({
  glance: ['keystone'],
  keystone: ['mariadb'],
  mariadb: [],
  horizon: ['keystone'],
})

test('without names, all releases may change, requirements first', () => {
  const result = scope(graph, {kind: 'all'})

  expect([...result]).toEqual([
    ['openstack/mariadb', 'change'],
    ['openstack/keystone', 'change'],
    ['openstack/glance', 'change'],
    ['openstack/horizon', 'change'],
  ])
})

test('with names, their requirements are only used, and the rest is omitted', () => {
  const result = scope(graph, {kind: 'named', releases: [id('keystone')], install: false})

  expect([...result]).toEqual([
    ['openstack/mariadb', 'use'],
    ['openstack/keystone', 'change'],
  ])
})

test('a name that the environment does not have is an error', () => {
  const act = () => scope(graph, {kind: 'named', releases: [id('nova')], install: false})

  expect(act).toThrow(expect.objectContaining({code: 'KK_UNKNOWN_RELEASE'}))
})

test('a release that is only ordered with a named one is omitted', () => {
  const edges = graph.requirements.get(id('keystone'))!.map((edge) => ({...edge, soft: true as const}))
  const ordered = {...graph, requirements: new Map([...graph.requirements, [id('keystone'), edges]])}

  const result = scope(ordered, {kind: 'named', releases: [id('keystone')], install: false})

  expect([...result]).toEqual([['openstack/keystone', 'change']])
})
