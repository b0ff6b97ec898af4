import fc from 'fast-check'
import {expect, test} from 'vitest'
import {groups} from '../../src/graph/groups.ts'
import {order} from '../../src/graph/order.ts'
import {arbitraryGraph} from './arbitrary-graph.ts'
import {graphOf, names} from './graph-of.ts'

test('order puts each release after its requirements, otherwise in the order of the file', () => {
  const graph = graphOf({
    keystone: ['memcached', 'mariadb'],
    glance: ['rabbitmq', 'keystone'],
    horizon: ['keystone'],
    mariadb: [],
    memcached: [],
    rabbitmq: [],
  })

  const result = names(order(graph))

  expect(result).toEqual(['mariadb', 'memcached', 'keystone', 'rabbitmq', 'glance', 'horizon'])
})

test('order keeps a file order that respects every edge', () => {
  const graph = graphOf({rabbitmq: [], keystone: [], mariadb: [], glance: ['mariadb'], memcached: []})

  const result = order(graph)

  expect(result).toEqual(graph.releases)
})

test('order puts the members of a group next to each other', () => {
  const graph = graphOf({nova: ['neutron:applied'], glance: [], neutron: ['nova:applied', 'ovn'], ovn: []})

  const result = names(order(graph))

  expect(result).toEqual(['ovn', 'nova', 'neutron', 'glance'])
})

test('order puts requirements first and every release once, for any graph', () => {
  fc.assert(
    fc.property(arbitraryGraph(), (graph) => {
      const result = order(graph)
      const place = new Map(result.map((release, index) => [release, index]))
      const group = groups(graph)

      expect(result.toSorted()).toEqual(graph.releases.toSorted())
      for (const edge of [...graph.requirements.values()].flat()) {
        if (group.get(edge.from) === group.get(edge.to)) continue
        expect(place.get(edge.to)).toBeLessThan(place.get(edge.from)!)
      }
    }),
  )
})

test('order does not depend on the order of requirements', () => {
  fc.assert(
    fc.property(arbitraryGraph(), (graph) => {
      const turned = [...graph.requirements]
        .reverse()
        .map(([from, edges]) => [from, edges.toReversed()] as const)

      const result = order({releases: graph.releases, requirements: new Map(turned)})

      expect(result).toEqual(order(graph))
    }),
  )
})

test('order does not exhaust the stack for a reversed chain of 50,000 releases', () => {
  const chain = graphOf(
    Object.fromEntries(Array.from({length: 50_000}, (_, n) => [`r${n}`, n === 49_999 ? [] : [`r${n + 1}`]])),
  )

  const result = order(chain)

  expect(result).toEqual(chain.releases.toReversed())
})
