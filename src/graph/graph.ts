import type {EdgeKind, Evidence, ReleaseId} from '../release.ts'

/** A requirement with its evidence: `from` requires `to`. */
export interface Edge {
  readonly from: ReleaseId
  readonly to: ReleaseId
  readonly kind: EdgeKind
  readonly evidence: readonly Evidence[]
  /** Set if the edge only orders the two: `from` does not need `to` for its deployment or afterwards. */
  readonly soft?: true
}

/** Returns true if a requirement is only inferred: all its evidence comes from rendered charts. */
export function isInferred({evidence}: Pick<Edge, 'evidence'>): boolean {
  return evidence.length > 0 && evidence.every(({source}) => source === 'inferred')
}

/** Releases and their requirements. `releases` is in the order of the file; added releases follow by name. */
export interface Graph {
  readonly releases: readonly ReleaseId[]
  /** The outgoing edges of each release; every release has an entry. */
  readonly requirements: ReadonlyMap<ReleaseId, readonly Edge[]>
}

/** Returns the graph with every edge reversed. Kinds and evidence are kept. */
export function reverse(graph: Graph): Graph {
  const requirements = new Map<ReleaseId, Edge[]>(graph.releases.map((release) => [release, []]))
  for (const release of graph.releases) {
    for (const edge of graph.requirements.get(release) ?? []) {
      requirements.get(edge.to)!.push({...edge, from: edge.to, to: edge.from})
    }
  }
  return {releases: graph.releases, requirements}
}

/** Returns the graph without the edges that only affect the order. */
export function withoutSoft({releases, requirements}: Graph): Graph {
  const hard = releases.map((release) => {
    const edges = requirements.get(release) ?? []
    return [release, edges.filter(({soft}) => !soft)] as const
  })
  return {releases, requirements: new Map(hard)}
}
