import type {EdgeKind, Evidence, ReleaseId} from '../release.ts'

/** "`from` requires `to`", with everything that says so. */
export interface Edge {
  readonly from: ReleaseId
  readonly to: ReleaseId
  readonly kind: EdgeKind
  readonly evidence: readonly Evidence[]
  /** It only orders the two: `from` needs nothing of `to`, neither to be deployed nor to stay. */
  readonly soft?: true
}

/** Whether nobody wrote the requirement down: all its evidence is what charts render. */
export function isInferred({evidence}: Pick<Edge, 'evidence'>): boolean {
  return evidence.length > 0 && evidence.every(({source}) => source === 'inferred')
}

/** Releases and what each requires. `releases` is in the order of the file, then by name for those that were added. */
export interface Graph {
  readonly releases: readonly ReleaseId[]
  /** The edges that leave each release; every release has an entry. */
  readonly requirements: ReadonlyMap<ReleaseId, readonly Edge[]>
}

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
