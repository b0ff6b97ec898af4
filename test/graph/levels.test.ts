import {expect, test} from 'vitest'
import {levels} from '../../src/graph/levels.ts'
import {graphOf, names} from './graph-of.ts'

test('a release stands one level above the highest of what it requires', () => {
  const graph = graphOf({
    horizon: ['keystone', 'memcached'],
    keystone: ['mariadb', 'memcached'],
    glance: ['keystone', 'rabbitmq'],
    mariadb: [],
    memcached: [],
    rabbitmq: [],
  })

  const result = levels(graph).map(names)

  expect(result).toEqual([['mariadb', 'memcached', 'rabbitmq'], ['keystone'], ['horizon', 'glance']])
})

test('the members of a group share a level', () => {
  const graph = graphOf({
    nova: ['neutron:applied'],
    neutron: ['nova:applied', 'ovn'],
    ovn: [],
    skyline: ['nova'],
  })

  const result = levels(graph).map(names)

  expect(result).toEqual([['ovn'], ['nova', 'neutron'], ['skyline']])
})
