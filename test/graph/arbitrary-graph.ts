import fc from 'fast-check'
import {components} from '../../src/graph/components.ts'
import type {Edge, Graph} from '../../src/graph/graph.ts'
import {id} from './graph-of.ts'

/** Any graph of up to `size` releases, cycles included; a `ready` edge never lies inside a group. */
export function arbitraryGraph(size = 12): fc.Arbitrary<Graph> {
  return fc.integer({min: 1, max: size}).chain((count) => {
    const node = fc.nat({max: count - 1})
    const edge = fc.record({
      from: node,
      to: node,
      kind: fc.constantFrom('ready' as const, 'applied' as const),
      // Most graphs shall have few cycles: an edge that points forward is kept in one case of four.
      keepForward: fc.integer({min: 0, max: 3}),
    })
    return fc.array(edge, {maxLength: count * 3}).map((edges) => {
      const releases = Array.from({length: count}, (_, index) => id(`r${index}`))
      const requirements = new Map(releases.map((release) => [release, new Map<string, Edge>()]))
      for (const {from, to, kind, keepForward} of edges) {
        if (from === to || (from < to && keepForward > 0)) continue
        const [a, b] = [releases[from]!, releases[to]!]
        requirements.get(a)!.set(b, {from: a, to: b, kind, evidence: []})
      }
      return legal({
        releases,
        requirements: new Map([...requirements].map(([release, found]) => [release, [...found.values()]])),
      })
    })
  })
}

function legal(graph: Graph): Graph {
  const groupOf = new Map(
    components(graph).flatMap((part) => part.map((release) => [release, part] as const)),
  )
  const relax = (edge: Edge): Edge =>
    groupOf.get(edge.from) === groupOf.get(edge.to) ? {...edge, kind: 'applied'} : edge
  return {
    releases: graph.releases,
    requirements: new Map([...graph.requirements].map(([release, edges]) => [release, edges.map(relax)])),
  }
}
