import {expect, test} from 'vitest'
import {dependents} from '../../src/graph/dependents.ts'
import {graphOf, id, names} from './graph-of.ts'

const graph = graphOf({
  horizon: ['keystone'],
  keystone: ['mariadb', 'memcached'],
  glance: ['keystone', 'rabbitmq'],
  mariadb: [],
  memcached: [],
  rabbitmq: [],
})

test.each([
  {of: 'horizon', result: []},
  {of: 'rabbitmq', result: ['glance']},
  {of: 'mariadb', result: ['horizon', 'keystone', 'glance']},
])('$result require $of, directly or not', ({of, result}) => {
  expect(names(dependents(graph, [id(of)]))).toEqual(result)
})
