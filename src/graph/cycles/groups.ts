import type {ReleaseId} from '../../release.ts'
import type {Graph} from '../graph.ts'
import {components} from './components.ts'
import {cycle, cycleError} from './cycle.ts'

/**
 * The group of each release: all that need each other, itself included, in the graph's order; itself alone when it is
 * in no group. Throws `KK_CYCLE` when an edge inside a group is `ready`: both ends would wait for each other.
 */
export function groups(graph: Graph): ReadonlyMap<ReleaseId, readonly ReleaseId[]> {
  const result = new Map<ReleaseId, readonly ReleaseId[]>()
  for (const members of components(graph)) {
    for (const member of members) result.set(member, members)
  }
  for (const release of graph.releases) {
    for (const edge of graph.requirements.get(release) ?? []) {
      const inside = result.get(edge.from) === result.get(edge.to)
      if (inside && edge.kind === 'ready') throw cycleError(cycle(graph, edge))
    }
  }
  return result
}
