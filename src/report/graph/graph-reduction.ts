import type {Edge, Graph} from '../../graph/graph.ts'
import {groups} from '../../graph/groups.ts'
import type {ReleaseId} from '../../release.ts'

/**
 * Returns the graph without implied edges, for drawings. A `ready` edge follows from a
 * longer path whose last edge is `ready`: every release before it on that path can only start after it. An
 * `applied` edge follows from any longer path. Edges inside groups stay and are part of no path.
 */
export function withoutImplied(graph: Graph): Graph {
  const groupByRelease = groups(graph)
  const outgoing = new Map<ReleaseId, readonly Edge[]>()
  for (const release of graph.releases) {
    const edges = graph.requirements.get(release) ?? []
    outgoing.set(
      release,
      edges.filter((edge) => groupByRelease.get(edge.from) !== groupByRelease.get(edge.to)),
    )
  }
  const requirements = new Map<ReleaseId, readonly Edge[]>()
  for (const release of graph.releases) {
    const implied = impliedBy(outgoing.get(release) ?? [], outgoing)
    const edges = graph.requirements.get(release) ?? []
    requirements.set(
      release,
      edges.filter((edge) => !implied(edge)),
    )
  }
  return {releases: graph.releases, requirements}
}

/** Returns a test of the edges of one release: whether a longer path makes an edge needless. */
function impliedBy(
  edges: readonly Edge[],
  outgoing: ReadonlyMap<ReleaseId, readonly Edge[]>,
): (edge: Edge) => boolean {
  const reached = new Set<ReleaseId>()
  const reachedReady = new Set<ReleaseId>()
  const walked = new Set<ReleaseId>()
  const ahead = edges.map((edge) => edge.to)
  for (const release of ahead) {
    if (walked.has(release)) continue
    walked.add(release)
    for (const edge of outgoing.get(release) ?? []) {
      reached.add(edge.to)
      if (edge.kind === 'ready') reachedReady.add(edge.to)
      ahead.push(edge.to)
    }
  }
  return (edge) => (edge.kind === 'ready' ? reachedReady.has(edge.to) : reached.has(edge.to))
}
