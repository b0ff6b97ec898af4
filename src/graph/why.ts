import type {ReleaseId} from '../release.ts'
import type {Edge, Graph} from './graph.ts'

/**
 * Returns the shortest path by which `from` needs `to`, as edges; undefined if there is none. From a release
 * to itself, this is its shortest cycle.
 */
export function why(graph: Graph, from: ReleaseId, to: ReleaseId): readonly Edge[] | undefined {
  const reachedBy = new Map<ReleaseId, Edge>()
  const queue = [from]
  for (const release of queue) {
    for (const edge of graph.requirements.get(release) ?? []) {
      if (reachedBy.has(edge.to)) continue
      reachedBy.set(edge.to, edge)
      if (edge.to === to) return trace(reachedBy, from, to)
      queue.push(edge.to)
    }
  }
  return undefined
}

function trace(reachedBy: ReadonlyMap<ReleaseId, Edge>, from: ReleaseId, to: ReleaseId): readonly Edge[] {
  const path = [reachedBy.get(to)!]
  while (path.at(-1)!.from !== from) path.push(reachedBy.get(path.at(-1)!.from)!)
  return path.reverse()
}
