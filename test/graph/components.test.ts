import fc from 'fast-check'
import {expect, test} from 'vitest'
import {components} from '../../src/graph/components.ts'
import {requirements} from '../../src/graph/requirements.ts'
import {arbitraryGraph} from './arbitrary-graph.ts'
import {graphOf, id, names} from './graph-of.ts'

test('components puts releases that need each other together, requirements first', () => {
  const graph = graphOf({
    horizon: ['nova'],
    nova: ['placement', 'neutron:applied'],
    neutron: ['nova:applied'],
    placement: [],
  })

  const result = components(graph).map(names)

  expect(result).toEqual([['placement'], ['nova', 'neutron'], ['horizon']])
})

test('components puts two releases together exactly if each requires the other', () => {
  fc.assert(
    fc.property(arbitraryGraph(), (graph) => {
      const parts = components(graph)
      const partOf = new Map(parts.flatMap((part) => part.map((release) => [release, part] as const)))
      const reach = new Map(
        graph.releases.map((release) => [release, new Set(requirements(graph, [release]))]),
      )

      for (const a of graph.releases) {
        for (const b of graph.releases) {
          const mutual = a === b || (reach.get(a)!.has(b) && reach.get(b)!.has(a))
          expect(partOf.get(a) === partOf.get(b)).toBe(mutual)
        }
      }
      expect(parts.flat().toSorted()).toEqual(graph.releases.toSorted())
    }),
  )
})

test('components does not exhaust the stack for a chain of 50,000 releases', () => {
  const chain = graphOf(
    Object.fromEntries(Array.from({length: 50_000}, (_, n) => [`r${n}`, n === 49_999 ? [] : [`r${n + 1}`]])),
  )

  const result = components(chain)

  expect(result[0]).toEqual([id('r49999')])
  expect(result).toHaveLength(50_000)
})
