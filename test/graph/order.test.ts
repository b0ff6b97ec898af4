import fc from 'fast-check'
import {expect, test} from 'vitest'
import {groups} from '../../src/graph/groups.ts'
import {order} from '../../src/graph/order.ts'
import {arbitraryGraph} from './arbitrary-graph.ts'
import {graphOf, names} from './graph-of.ts'

test('each release stands after what it requires, otherwise as in the file', () => {
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

test('an order of the file that respects every edge is kept', () => {
  const graph = graphOf({rabbitmq: [], keystone: [], mariadb: [], glance: ['mariadb'], memcached: []})

  const result = order(graph)

  expect(result).toEqual(graph.releases)
})

test('the members of a group stand side by side', () => {
  const graph = graphOf({nova: ['neutron:applied'], glance: [], neutron: ['nova:applied', 'ovn'], ovn: []})

  const result = names(order(graph))

  expect(result).toEqual(['ovn', 'nova', 'neutron', 'glance'])
})

test('requirements come first, every release comes once, whatever the graph', () => {
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

test('the order in which requirements are written has no influence', () => {
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

test('a chain of 50,000 releases, written backwards, does not exhaust the stack', () => {
  const chain = graphOf(
    Object.fromEntries(Array.from({length: 50_000}, (_, n) => [`r${n}`, n === 49_999 ? [] : [`r${n + 1}`]])),
  )

  const result = order(chain)

  expect(result).toEqual(chain.releases.toReversed())
})
