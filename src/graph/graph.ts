import type {EdgeKind, Evidence, ReleaseId} from '../release.ts'

/** A requirement with its evidence: `from` requires `to`. */
export interface Edge {
  readonly from: ReleaseId
  readonly to: ReleaseId
  readonly kind: EdgeKind
  readonly evidence: readonly Evidence[]
  /** Set where the edge only orders the two: `from` does not need `to`, neither to be deployed nor to stay. */
  readonly soft?: true
}

/** Returns true where nobody wrote the requirement down: all its evidence is what charts render. */
export function isInferred({evidence}: Pick<Edge, 'evidence'>): boolean {
  return evidence.length > 0 && evidence.every(({source}) => source === 'inferred')
}

/**
 * Releases and their requirements. `releases` is in the order of the file; the releases that were added follow by name.
 */
export interface Graph {
  readonly releases: readonly ReleaseId[]
  /** The edges that leave each release; every release has an entry. */
  readonly requirements: ReadonlyMap<ReleaseId, readonly Edge[]>
}

/** Returns the graph with every edge reversed. Kinds and evidence stay. */
export function reverse(graph: Graph): Graph {
  const requirements = new Map<ReleaseId, Edge[]>(graph.releases.map((release) => [release, []]))
  for (const release of graph.releases) {
    for (const edge of graph.requirements.get(release) ?? []) {
      requirements.get(edge.to)!.push({...edge, from: edge.to, to: edge.from})
    }
  }
  return {releases: graph.releases, requirements}
}

/** Returns the graph without the edges that only order. */
export function withoutSoft({releases, requirements}: Graph): Graph {
  const hard = releases.map((release) => {
    const edges = requirements.get(release) ?? []
    return [release, edges.filter(({soft}) => !soft)] as const
  })
  return {releases, requirements: new Map(hard)}
}
