import {type Edge, isInferred, reverse} from '../../graph/graph.ts'
import {groups} from '../../graph/groups.ts'
import {levels} from '../../graph/levels.ts'
import {type EdgeKind, type Evidence, type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {GraphView} from './graph-view.ts'

/** The form of `kk graph --output json`. Fields are added, never renamed or removed. */
export interface GraphDocument {
  readonly environment: string
  readonly releases: readonly {
    readonly release: ReleaseId
    readonly namespace: string
    readonly name: string
    readonly level: number
    /** The members of its group; only itself when it is in none. */
    readonly group: readonly ReleaseId[]
    readonly protected: boolean
    readonly requires: readonly {
      readonly release: ReleaseId
      /** The kind of the edge. `order`: it only orders the two, and is no requirement. */
      readonly kind: EdgeKind | 'order'
      readonly evidence: readonly Evidence[]
      /** Set if the requirement was inferred. */
      readonly inferred?: true
    }[]
    /** The releases that require it directly. */
    readonly requiredBy: readonly ReleaseId[]
  }[]
}

/** Returns an edge for documents. */
export function shownEdge({soft, ...edge}: Edge) {
  return {
    ...edge,
    kind: soft ? ('order' as const) : edge.kind,
    ...(isInferred(edge) && {inferred: true as const}),
  }
}

export function graphDocument({environment, graph, protected: isProtected}: GraphView): GraphDocument {
  const groupByRelease = groups(graph)
  const reversed = reverse(graph)
  const levelOf = new Map(
    levels(graph).flatMap((releases, level) => releases.map((release) => [release, level] as const)),
  )
  const releases = graph.releases.map((release) => ({
    release,
    namespace: releaseNamespace(release),
    name: releaseName(release),
    level: levelOf.get(release) ?? 0,
    group: groupByRelease.get(release) ?? [release],
    protected: isProtected.has(release),
    requires: (graph.requirements.get(release) ?? []).map((edge) => {
      const {from: _, to, ...shown} = shownEdge(edge)
      return {release: to, ...shown}
    }),
    requiredBy: (reversed.requirements.get(release) ?? []).map(({to}) => to),
  }))
  return {environment, releases}
}
