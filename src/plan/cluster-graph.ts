import type {ReleaseRecord} from '../cluster/cluster.ts'
import type {Edge, Graph} from '../graph/graph.ts'
import type {ReleaseId} from '../release.ts'
import {readLabels, usesLabel} from './labels.ts'

/**
 * Who requires whom by all that is known without reading a payload: the graph of an environment, and the labels of
 * every record, those of other environments included; and by edges that payloads tell, where they were read. An edge that
 * several tell is there once.
 */
export function clusterGraph(
  graph: Graph,
  records: readonly ReleaseRecord[],
  declared: readonly Edge[] = [],
): Graph {
  const releases = [...new Set([...graph.releases, ...records.map(({release}) => release)])]
  const byLabel = new Map(releases.map((release) => [usesLabel(release), release]))
  const recorded = new Map(
    records.map(({release, labels}) => [release, recordedEdges(release, labels, byLabel)]),
  )
  const declaredBy = Map.groupBy(declared, ({from}) => from)
  const edgesOf = (from: ReleaseId): readonly Edge[] => {
    const wanted = graph.requirements.get(from) ?? []
    const told = [...wanted, ...(recorded.get(from) ?? []), ...(declaredBy.get(from) ?? [])]
    const edges = new Map<ReleaseId, Edge>()
    for (const edge of told) if (!edges.has(edge.to)) edges.set(edge.to, edge)
    return [...edges.values()]
  }
  return {releases, requirements: new Map(releases.map((release) => [release, edgesOf(release)]))}
}

function recordedEdges(
  from: ReleaseId,
  labels: ReleaseRecord['labels'],
  byLabel: ReadonlyMap<string, ReleaseId>,
): readonly Edge[] {
  return [...(readLabels(labels)?.uses ?? [])].flatMap(([label, kind]) => {
    const to = byLabel.get(label)
    return to === undefined ? [] : [{from, to, kind, evidence: []}]
  })
}
