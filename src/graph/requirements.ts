import type {ReleaseId} from '../release.ts'
import type {Graph} from './graph.ts'

/** All that these releases require, directly or not, in the graph's order; themselves only where they are in a group with another. */
export function requirements(graph: Graph, releases: Iterable<ReleaseId>): readonly ReleaseId[] {
  const found = new Set<ReleaseId>()
  const open = [...releases]
  for (let release = open.pop(); release !== undefined; release = open.pop()) {
    for (const {to} of graph.requirements.get(release) ?? []) {
      if (found.has(to)) continue
      found.add(to)
      open.push(to)
    }
  }
  return graph.releases.filter((release) => found.has(release))
}
