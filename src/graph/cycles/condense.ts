import toposort from 'toposort'
import type {ReleaseId} from '../../release.ts'
import type {Graph} from '../graph.ts'
import {components} from './components.ts'

/** The graph with each group drawn together as one part: it has no cycles. */
export interface Condensation {
  /** Requirements first. Members are in the graph's order; a part of one is a release that is in no group. */
  readonly parts: readonly (readonly ReleaseId[])[]
  /** For each part the parts that it requires, as indices into `parts`, without itself and without repetition. */
  readonly requirements: readonly (readonly number[])[]
}

/** Draws groups together and orders the parts by toposort. */
export function condense(graph: Graph): Condensation {
  const parts = components(graph)
  const partOf = new Map(parts.flatMap((members) => members.map((member) => [member, members] as const)))
  const requiredBy = (members: readonly ReleaseId[]) => {
    const edges = members.flatMap((member) => graph.requirements.get(member) ?? [])
    const required = new Set(edges.map((edge) => partOf.get(edge.to)!))
    required.delete(members)
    return [...required]
  }

  const required = new Map(parts.map((members) => [members, requiredBy(members)]))
  const edges = parts.flatMap((members) =>
    required.get(members)!.map((requirement): [typeof members, typeof members] => [requirement, members]),
  )
  // toposort recurses from the last node to what follows it: as the components come requirements first, it finds
  // every follower placed already, and a chain of any length cannot exhaust the stack.
  const sorted = toposort.array(parts, edges)
  const index = new Map(sorted.map((members, position) => [members, position]))
  return {
    parts: sorted,
    requirements: sorted.map((members) => required.get(members)!.map((part) => index.get(part)!)),
  }
}
