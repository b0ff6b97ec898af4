import {expect, test} from 'vitest'
import {levels} from '../../src/graph/levels.ts'
import {graphOf, names} from './graph-of.ts'

test('levels puts a release one level above its highest requirement', () => {
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

test('levels puts the members of a group on the same level', () => {
  const graph = graphOf({
    nova: ['neutron:applied'],
    neutron: ['nova:applied', 'ovn'],
    ovn: [],
    skyline: ['nova'],
  })

  const result = levels(graph).map(names)

  expect(result).toEqual([['ovn'], ['nova', 'neutron'], ['skyline']])
})
