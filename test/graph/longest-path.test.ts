import {expect, test} from 'vitest'
import {criticalPath, longestPath} from '../../src/graph/longest-path.ts'
import {releaseName} from '../../src/release.ts'
import {graphOf} from './graph-of.ts'

test('longestPath adds up the seconds of each release on the chain', () => {
  const graph = graphOf({
    glance: ['keystone', 'rabbitmq'],
    keystone: ['mariadb'],
    mariadb: [],
    rabbitmq: [],
  })
  const seconds: Record<string, number> = {glance: 5, keystone: 20, mariadb: 60, rabbitmq: 70}

  const result = longestPath(graph, (release) => seconds[releaseName(release)]!)

  expect(Object.fromEntries(result)).toEqual({
    'openstack/glance': 85,
    'openstack/keystone': 80,
    'openstack/mariadb': 60,
    'openstack/rabbitmq': 70,
  })
})

test('longestPath counts the longest member of a group', () => {
  const graph = graphOf({nova: ['neutron:applied', 'ovn'], neutron: ['nova:applied'], ovn: []})
  const seconds: Record<string, number> = {nova: 30, neutron: 40, ovn: 2}

  const result = longestPath(graph, (release) => seconds[releaseName(release)]!)

  expect([...result.values()]).toEqual([2, 42, 42])
})

test.each<{
  what: string
  graph: Readonly<Record<string, readonly string[]>>
  seconds: Readonly<Record<string, number>>
  path: readonly string[]
}>([
  {
    what: 'what is required first',
    graph: {glance: ['keystone', 'rabbitmq'], keystone: ['mariadb'], mariadb: [], rabbitmq: []},
    seconds: {glance: 5, keystone: 20, mariadb: 60, rabbitmq: 70},
    path: ['mariadb', 'keystone', 'glance'],
  },
  {
    what: 'of a group the member that takes longest',
    graph: {nova: ['neutron:applied', 'ovn'], neutron: ['nova:applied'], ovn: [], horizon: ['nova']},
    seconds: {nova: 30, neutron: 40, ovn: 2, horizon: 1},
    path: ['ovn', 'neutron', 'horizon'],
  },
  {
    what: 'nothing that takes no time',
    graph: {glance: ['keystone'], keystone: ['mariadb'], mariadb: []},
    seconds: {glance: 5, keystone: 0, mariadb: 60},
    path: ['mariadb', 'glance'],
  },
  {what: 'no release of none', graph: {}, seconds: {}, path: []},
])('criticalPath has $what', ({graph, seconds, path}) => {
  const result = criticalPath(graphOf(graph), (release) => seconds[releaseName(release)]!)

  expect(result.map(releaseName)).toEqual(path)
})
