import type {ReleaseRecord} from '../cluster/cluster.ts'
import type {Graph} from '../graph/graph.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {readLabels} from './labels.ts'
import type {Bystander} from './plan.ts'

interface Observed {
  readonly environment: string
  readonly graph: Graph
  readonly records: readonly ReleaseRecord[]
  /** Wanted, and foreign. */
  readonly toAdopt?: ReadonlySet<ReleaseId>
}

/** The releases on the cluster that concern this environment and are left alone, by namespace and name. */
export function bystanders({environment, graph, records, toAdopt}: Observed): readonly Bystander[] {
  const wanted = new Set(graph.releases)
  const namespaces = new Set(graph.releases.map(releaseNamespace))
  return records
    .filter((record) => record.status !== 'uninstalled' || toAdopt?.has(record.release))
    .flatMap((record) => {
      const owner = readLabels(record.labels)?.owner
      if (toAdopt?.has(record.release)) return [adoptable(record)]
      if (wanted.has(record.release)) return []
      if (owner === environment) return [noLongerWanted(record, environment)]
      const near = owner === undefined && namespaces.has(releaseNamespace(record.release))
      return near ? [foreign(record)] : []
    })
    .sort((a, b) => (a.release < b.release ? -1 : 1))
}

function noLongerWanted({release}: ReleaseRecord, owner: string): Bystander {
  const note = `the file no longer names it; it goes only by: kk remove ${releaseName(release)}`
  return {release, state: 'no-longer-wanted', owner, note}
}

function adoptable({release, revision, status}: ReleaseRecord): Bystander {
  const note = `wanted, but kk did not install it (revision ${revision}, ${status}); take it over with: kk adopt ${releaseName(release)}`
  return {release, state: 'to-adopt', note}
}

function foreign({release}: ReleaseRecord): Bystander {
  return {release, state: 'foreign', note: 'not installed by kk, left alone'}
}
