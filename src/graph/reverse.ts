import type {ReleaseId} from '../release.ts'
import type {Edge, Graph} from './graph.ts'

/** The same releases with every edge turned round: what was required requires. Kinds and evidence stay. */
export function reverse(graph: Graph): Graph {
  const requirements = new Map<ReleaseId, Edge[]>(graph.releases.map((release) => [release, []]))
  for (const release of graph.releases) {
    for (const edge of graph.requirements.get(release) ?? []) {
      requirements.get(edge.to)!.push({...edge, from: edge.to, to: edge.from})
    }
  }
  return {releases: graph.releases, requirements}
}
