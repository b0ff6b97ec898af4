import fc from 'fast-check'
import {expect, test} from 'vitest'
import {type Graph, reverse} from '../../src/graph/graph.ts'
import {arbitraryGraph} from './arbitrary-graph.ts'
import {graphOf, id} from './graph-of.ts'

test('reverse swaps both ends and keeps kind and evidence', () => {
  const graph = graphOf({nova: ['neutron:applied'], neutron: []})

  const result = reverse(graph)

  const [edge] = graph.requirements.get(id('nova'))!
  expect(result.requirements.get(id('neutron'))).toEqual([{...edge, from: id('neutron'), to: id('nova')}])
  expect(result.requirements.get(id('nova'))).toEqual([])
})

test('reverse applied twice returns the same edges', () => {
  const edges = (graph: Graph) =>
    [...graph.requirements.values()].flat().map((edge) => `${edge.from} ${edge.to} ${edge.kind}`)

  fc.assert(
    fc.property(arbitraryGraph(), (graph) => {
      expect(edges(reverse(reverse(graph))).toSorted()).toEqual(edges(graph).toSorted())
    }),
  )
})
