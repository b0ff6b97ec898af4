import type {ReleaseRecord} from '../../cluster/cluster.ts'
import type {Edge, Graph} from '../../graph/graph.ts'
import type {ReleaseId} from '../../release.ts'
import {readLabels, usesLabel} from '../labels.ts'

/** Who requires whom on the cluster, as the labels of these records say; several records of one release are drawn together. */
export function usesGraph(records: readonly ReleaseRecord[]): Graph {
  const releases = [...new Set(records.map(({release}) => release))].sort()
  const releaseOf = new Map(releases.map((release) => [usesLabel(release), release]))
  const requirements = new Map(releases.map((release) => [release, new Map<ReleaseId, Edge>()]))
  for (const {release, labels} of records) {
    for (const [name, kind] of readLabels(labels)?.uses ?? []) {
      const to = releaseOf.get(name)
      const known = to && requirements.get(release)!.get(to)
      if (to === undefined || to === release || known?.kind === 'ready') continue
      requirements.get(release)!.set(to, {from: release, to, kind, evidence: []})
    }
  }
  return {
    releases,
    requirements: new Map([...requirements].map(([release, edges]) => [release, [...edges.values()]])),
  }
}
