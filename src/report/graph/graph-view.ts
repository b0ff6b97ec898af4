import type {Edge, Graph} from '../../graph/graph.ts'
import {groups} from '../../graph/groups.ts'
import type {ReleaseId} from '../../release.ts'

/** A graph with the facts that its pictures also show. */
export interface GraphView {
  readonly environment: string
  readonly graph: Graph
  readonly protected: ReadonlySet<ReleaseId>
}

/** Returns all edges, in the order of the releases that they leave. */
export function allEdges({releases, requirements}: Graph): readonly Edge[] {
  return releases.flatMap((release) => requirements.get(release) ?? [])
}

/** Returns the groups of a graph: sets of releases that need each other, without those of one release. */
export function realGroups(graph: Graph): readonly (readonly ReleaseId[])[] {
  return [...new Set(groups(graph).values())].filter((members) => members.length > 1)
}

/** The note in a drawing that omits edges. */
export const OMITTED_EDGES = 'edges that follow from others are omitted; --all draws them'
