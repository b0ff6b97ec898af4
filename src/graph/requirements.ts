import type {ReleaseId} from '../release.ts'
import type {Graph} from './graph.ts'

/**
 * Returns all releases that are reachable from the start releases, directly or not. A start release is
 * included only if it is reachable from one of them.
 */
export function reachable(
  from: Iterable<ReleaseId>,
  next: (release: ReleaseId) => Iterable<ReleaseId>,
): ReadonlySet<ReleaseId> {
  const visited = new Set<ReleaseId>()
  const open = [...from]
  for (let release = open.pop(); release !== undefined; release = open.pop()) {
    for (const to of next(release)) {
      if (visited.has(to)) continue
      visited.add(to)
      open.push(to)
    }
  }
  return visited
}

/**
 * Returns all releases that these releases require, directly or not, in the graph's order. One of them is
 * included only if another one, or itself, requires it.
 */
export function requirements(graph: Graph, releases: Iterable<ReleaseId>): readonly ReleaseId[] {
  const required = reachable(releases, (release) => (graph.requirements.get(release) ?? []).map(({to}) => to))
  return graph.releases.filter((release) => required.has(release))
}
