import toposort from 'toposort'
import type {ReleaseId} from '../release.ts'
import {components} from './components.ts'
import type {Graph} from './graph.ts'

/** The graph with each group contracted to one part. It has no cycles. */
export interface Condensation {
  /**
   * The parts, requirements first. Members are in the graph's order; a release without group is a part of its
   * own.
   */
  readonly parts: readonly (readonly ReleaseId[])[]
  /** The indices in `parts` of the parts that each part requires, without itself and without duplicates. */
  readonly requirements: readonly (readonly number[])[]
}

/** Returns the graph with each group contracted to one part, the parts ordered by toposort. */
export function condense(graph: Graph): Condensation {
  const parts = components(graph)
  const partByRelease = new Map(
    parts.flatMap((members) => members.map((member) => [member, members] as const)),
  )
  const requiredBy = (members: readonly ReleaseId[]) => {
    const edges = members.flatMap((member) => graph.requirements.get(member) ?? [])
    const required = new Set(edges.map((edge) => partByRelease.get(edge.to)!))
    required.delete(members)
    return [...required]
  }

  const required = new Map(parts.map((members) => [members, requiredBy(members)]))
  const edges = parts.flatMap((members) =>
    required.get(members)!.map((requirement): [typeof members, typeof members] => [requirement, members]),
  )
  // toposort recurses from the last node to its successors. The components come requirements first, so every
  // successor is already placed, and a chain of any length cannot exhaust the stack.
  const sorted = toposort.array(parts, edges)
  const index = new Map(sorted.map((members, position) => [members, position]))
  return {
    parts: sorted,
    requirements: sorted.map((members) => required.get(members)!.map((part) => index.get(part)!)),
  }
}
