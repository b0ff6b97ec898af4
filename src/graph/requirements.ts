import type {ReleaseId} from '../release.ts'
import type {Graph} from './graph.ts'

/**
 * Returns all releases that are reached from the given ones, directly or not. A given one is among them only if it is
 * reached from one of them.
 */
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

/**
 * Returns all releases that the given ones require, directly or not, in the graph's order. A given one is among them
 * only if one of them requires it.
 */
export function requirements(graph: Graph, releases: Iterable<ReleaseId>): readonly ReleaseId[] {
  const found = reached(releases, (release) => (graph.requirements.get(release) ?? []).map(({to}) => to))
  return graph.releases.filter((release) => found.has(release))
}
