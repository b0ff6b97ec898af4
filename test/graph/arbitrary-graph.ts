import fc from 'fast-check'
import {components} from '../../src/graph/components.ts'
import type {Edge, Graph} from '../../src/graph/graph.ts'
import {id} from './graph-of.ts'

const EDGES_EACH = 3

/**
 * Any graph of up to `size` releases, cycles included; a `ready` edge never lies inside a group. Number and
 * edges are drawn apart from each other, so that what fails shrinks to few of both.
 */
export function arbitraryGraph(size = 12): fc.Arbitrary<Graph> {
  const edge = fc.record({
    from: fc.nat({max: size - 1}),
    to: fc.nat({max: size - 1}),
    kind: fc.constantFrom('ready' as const, 'applied' as const),
    // Most graphs shall have few cycles: an edge that points forward is kept in one case of four.
    keepForward: fc.integer({min: 0, max: 3}),
  })
  const drawn = fc.record({
    count: fc.integer({min: 1, max: size}),
    edges: fc.array(edge, {maxLength: size * EDGES_EACH}),
  })
  return drawn.map(({count, edges}) => {
    const releases = Array.from({length: count}, (_, index) => id(`r${index}`))
    const requirements = new Map(releases.map((release) => [release, new Map<string, Edge>()]))
    for (const {from, to, kind, keepForward} of edges.slice(0, count * EDGES_EACH)) {
      const [a, b] = [from % count, to % count]
      if (a === b || (a < b && keepForward > 0)) continue
      const [one, other] = [releases[a]!, releases[b]!]
      requirements.get(one)!.set(other, {from: one, to: other, kind, evidence: []})
    }
    return legal({
      releases,
      requirements: new Map([...requirements].map(([release, found]) => [release, [...found.values()]])),
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
