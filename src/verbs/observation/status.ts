import type {Cluster, Health, ReleaseRecord, StoredRelease} from '../../cluster/cluster.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {dependents} from '../../graph/dependents.ts'
import {inputsDigest} from '../../plan/digest.ts'
import {readLabels} from '../../plan/labels.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {namedRelease, type Prepared} from '../preparation/prepare.ts'

/** One release of an environment, as it is on the cluster. */
export interface ReleaseStatus {
  readonly release: ReleaseId
  readonly chart: string
  readonly version: string
  /** 0 when it is not installed. */
  readonly revision: number
  readonly status: string
  /** Whether a deploy would find other inputs than those that are deployed. */
  readonly inputs: 'current' | 'changed' | 'unknown'
  readonly health: Health | undefined
  readonly owner: string | undefined
  readonly requires: readonly string[]
  readonly dependents: readonly string[]
}

/** The state of every release of the environment, and of those that it no longer names, in the order of the graph. */
export async function status(
  prepared: Prepared,
  cluster: Cluster,
  names: readonly string[],
): Promise<readonly ReleaseStatus[]> {
  const {environment, graph} = prepared
  const records = new Map((await cluster.records()).map((record) => [record.release, record]))
  const abandoned = [...records.values()]
    .filter(
      (record) =>
        readLabels(record.labels)?.owner === environment.name && !graph.requirements.has(record.release),
    )
    .map((record) => record.release)
  const named = names.map((name) => namedRelease(prepared, name))
  const releases = names.length === 0 ? [...graph.releases, ...abandoned] : named
  return Promise.all(releases.map((release) => statusOf(prepared, cluster, release, records.get(release))))
}

async function statusOf(
  {graph, releases, environment}: Prepared,
  cluster: Cluster,
  release: ReleaseId,
  record: ReleaseRecord | undefined,
): Promise<ReleaseStatus> {
  const stored = record && (await cluster.stored(release, record.revision))
  const prepared = releases.get(release)
  const owner = record && readLabels(record.labels)?.owner
  return {
    release,
    chart: stored?.chart.name ?? prepared?.chart.name ?? releaseName(release),
    version: stored?.chart.version ?? prepared?.chart.version ?? '',
    revision: record?.revision ?? 0,
    status: record?.status ?? 'not installed',
    inputs: record && prepared && owner === environment.name ? inputsOf(prepared.desired, record) : 'unknown',
    health: stored && (await healthOf(cluster, stored)),
    owner,
    requires: (graph.requirements.get(release) ?? []).map((edge) => releaseName(edge.to)),
    dependents: graph.requirements.has(release) ? dependents(graph, [release]).map(releaseName) : [],
  }
}

function inputsOf(desired: Parameters<typeof inputsDigest>[0], record: ReleaseRecord): 'current' | 'changed' {
  const labels = readLabels(record.labels)
  const same = labels?.inputs === inputsDigest(desired) && labels.revision === record.revision
  return same ? 'current' : 'changed'
}

async function healthOf(cluster: Cluster, stored: StoredRelease): Promise<Health> {
  return cluster.health(releaseNamespace(stored.release), parseManifest(stored.manifest))
}
