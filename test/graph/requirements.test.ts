import {expect, test} from 'vitest'
import {requirements} from '../../src/graph/requirements.ts'
import {graphOf, id, names} from './graph-of.ts'

const graph = graphOf({
  horizon: ['keystone', 'memcached'],
  keystone: ['mariadb'],
  mariadb: [],
  memcached: [],
  nova: ['neutron:applied'],
  neutron: ['nova:applied', 'mariadb'],
})

test.each([
  {of: ['mariadb'], result: []},
  {of: ['horizon'], result: ['keystone', 'mariadb', 'memcached']},
  {of: ['keystone', 'horizon'], result: ['keystone', 'mariadb', 'memcached']},
  {of: ['nova'], result: ['mariadb', 'nova', 'neutron']},
])('$of require $result', ({of, result}) => {
  expect(names(requirements(graph, of.map(id)))).toEqual(result)
})
