import type {ReleaseId} from '../release.ts'
import type {Graph} from './graph.ts'

/** All that is reached from these, directly or not; themselves only where one of them is reached from another. */
export function reached(
  from: Iterable<ReleaseId>,
  next: (release: ReleaseId) => Iterable<ReleaseId>,
): ReadonlySet<ReleaseId> {
  const found = new Set<ReleaseId>()
  const open = [...from]
  for (let release = open.pop(); release !== undefined; release = open.pop()) {
    for (const to of next(release)) {
      if (found.has(to)) continue
      found.add(to)
      open.push(to)
    }
  }
  return found
}

/** All that these releases require, directly or not, in the graph's order; themselves only where they are in a group with another. */
export function requirements(graph: Graph, releases: Iterable<ReleaseId>): readonly ReleaseId[] {
  const found = reached(releases, (release) => (graph.requirements.get(release) ?? []).map(({to}) => to))
  return graph.releases.filter((release) => found.has(release))
}
