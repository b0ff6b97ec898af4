import type {Cluster, KubernetesObject, ReleaseRecord} from '../../cluster/cluster.ts'
import type {SeenLease} from '../../cluster/lease/list-leases.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {asKkError, KkError} from '../../errors.ts'
import {dependents} from '../../graph/dependents.ts'
import type {Graph} from '../../graph/graph.ts'
import {clusterGraph} from '../../plan/cluster-graph.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import {inputsDigest} from '../../plan/digest.ts'
import {readLabels} from '../../plan/labels.ts'
import type {ObservedRecord} from '../../plan/pending/evidence.ts'
import {unfinished} from '../../plan/refusals.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {observedRecords} from '../preparation/observed-records.ts'
import {namedRelease, type Prepared} from '../preparation/prepare.ts'
import {seenRecords} from '../preparation/seen-records.ts'
import {releaseOnCluster} from './release-on-cluster.ts'
import type {ReleaseHolder, ReleaseStatus, StatusReport} from './release-status.ts'

/** Whose releases are looked at: those of a file, or those of an environment that is only named. */
export interface StatusSubject {
  readonly owner: string
  readonly prepared: Prepared | undefined
  /** The releases that the command line names; none means all. */
  readonly names: readonly string[]
}

type Sight = Pick<Cluster, 'records' | 'stored' | 'health' | 'leases' | 'lease' | 'now' | 'lastRecord'>

/** How many records are read at once; each holds a whole chart. */
const READERS = 8
const NO_GRAPH: Graph = {releases: [], requirements: new Map()}

/**
 * A reader of the state of every release of an environment, and of those that its file no longer names, in the order of
 * the graph. Each record is downloaded once, however often it looks; beside these a look costs two lists, and one of
 * each kind of workload in each namespace. Throws `KK_UNKNOWN_RELEASE`, `KK_USAGE`.
 */
export function statusReader(subject: StatusSubject, cluster: Sight): () => Promise<StatusReport> {
  const known = new Map<string, Payload>()
  const readPayload = async (record: ReleaseRecord): Promise<Payload> => {
    const version = `${record.secret.uid} ${record.secret.resourceVersion}`
    const found = known.get(version) ?? (await payloadOf(cluster, record))
    known.set(version, found)
    return found
  }
  return async () => {
    const graph = subject.prepared?.graph ?? NO_GRAPH
    const [seen, held] = await Promise.all([seenRecords(cluster, graph.releases), seenLeases(cluster)])
    const releases = releasesOf(subject, seen.records)
    const concerned = new Set(releases)
    const observed = await observedRecords(cluster, seen.records, (release) => concerned.has(release))
    const records = new Map(observed.map((record) => [record.release, record]))
    const payloads = await mapParallel(releases, READERS, async (release) => {
      const record = records.get(release)
      return record && readPayload(record)
    })
    const look: Look = {
      ...subject,
      records,
      leases: new Map(held.leases.map((lease) => [lease.release, lease])),
      graph: clusterGraph(graph, seen.records),
      now: cluster.now(),
    }
    const rows = releases.map((release, index) => statusOf(look, release, payloads[index]))
    // All at once: those who ask for the same lists share them.
    const healths = await Promise.all(
      payloads.map((payload, index) => healthOf(cluster, releases[index]!, payload)),
    )
    const notes = [seen.note, held.note].filter((note) => note !== undefined)
    return {
      environment: subject.owner,
      releases: rows.map((row, index) => ({...row, health: healths[index]})),
      notes,
    }
  }
}

/** What is kept of a record's payload. */
type Payload =
  | {
      readonly chart: {readonly name: string; readonly version: string}
      readonly objects: readonly KubernetesObject[]
    }
  | {readonly unreadable: string}

async function payloadOf(cluster: Sight, {release, revision}: ReleaseRecord): Promise<Payload> {
  try {
    const stored = await cluster.stored(release, revision)
    if (!stored) return {unreadable: 'its record went while it was read'}
    return {chart: stored.chart, objects: parseManifest(stored.manifest)}
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code !== 'KK_RECORD') throw error
    return {unreadable: message}
  }
}

async function healthOf(cluster: Sight, release: ReleaseId, payload: Payload | undefined) {
  if (!payload || 'unreadable' in payload) return undefined
  return cluster.health(releaseNamespace(release), payload.objects)
}

/** Who may not see the Leases is told so. */
async function seenLeases(
  cluster: Sight,
): Promise<{readonly leases: readonly SeenLease[]; readonly note: string | undefined}> {
  try {
    return {leases: await cluster.leases(), note: undefined}
  } catch (error) {
    if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    return {leases: [], note: 'you may not list leases in kk-system: who works on a release is not seen'}
  }
}

function releasesOf(
  {prepared, owner, names}: StatusSubject,
  records: readonly ReleaseRecord[],
): readonly ReleaseId[] {
  const own = records.filter(({labels}) => readLabels(labels)?.owner === owner).map(({release}) => release)
  if (!prepared) {
    if (own.length === 0) throw nobodys(owner, records)
    return names.length === 0 ? own : names.map((name) => releaseOnCluster(records, name, owner).release)
  }
  const {graph} = prepared
  const abandoned = own.filter((release) => !graph.requirements.has(release))
  if (names.length === 0) return [...graph.releases, ...abandoned]
  return names.map(
    (name) =>
      abandoned.find((release) => release === name || releaseName(release) === name) ??
      namedRelease(prepared, name),
  )
}

function nobodys(owner: string, records: readonly ReleaseRecord[]): KkError {
  const owners = [...new Set(records.flatMap(({labels}) => readLabels(labels)?.owner ?? []))].sort()
  return new KkError('KK_USAGE', `no release on the cluster belongs to an environment "${owner}"`, {
    hint: owners.length === 0 ? 'kk has deployed nothing there' : `there are: ${owners.join(', ')}`,
  })
}

interface Look extends StatusSubject {
  readonly records: ReadonlyMap<ReleaseId, ObservedRecord>
  readonly leases: ReadonlyMap<ReleaseId, SeenLease>
  /** Of the environment and of all that the cluster tells. */
  readonly graph: Graph
  readonly now: number
}

function statusOf(
  look: Look,
  release: ReleaseId,
  payload: Payload | undefined,
): Omit<ReleaseStatus, 'health'> {
  const {prepared, records, graph} = look
  const record = records.get(release)
  const wanted = prepared?.releases.get(release)
  const {name = releaseName(release), version = ''} =
    payload && 'chart' in payload ? payload.chart : (wanted?.chart ?? {})
  const owner = record && readLabels(record.labels)?.owner
  const lease = look.leases.get(release)
  const advice = record && unfinished(record)?.hint
  return {
    release,
    chart: name,
    version,
    revision: record?.revision ?? 0,
    status: record?.status ?? 'not installed',
    inputs: record && wanted && owner === look.owner ? inputsOf(wanted.desired, record) : 'unknown',
    wanted: !prepared || prepared.graph.requirements.has(release),
    owner,
    ...(lease && {holder: holderOf(lease, look.now)}),
    requires: (graph.requirements.get(release) ?? []).map(({to}) => releaseName(to)),
    dependents: dependents(graph, [release])
      .filter((each) => each !== release)
      .map((each) => ({release: each, environment: ownerOf(records.get(each))})),
    ...(payload && 'unreadable' in payload && {unreadable: payload.unreadable}),
    ...(advice !== undefined && {advice}),
  }
}

function ownerOf(record: ReleaseRecord | undefined): string | undefined {
  return record && readLabels(record.labels)?.owner
}

function inputsOf(desired: DesiredRelease, record: ReleaseRecord): 'current' | 'changed' {
  const labels = readLabels(record.labels)
  const same = labels?.inputs === inputsDigest(desired) && labels.revision === record.revision
  return same ? 'current' : 'changed'
}

function holderOf({holder, acquired, runsOut, isRemoval, operation}: SeenLease, now: number): ReleaseHolder {
  return {
    holder,
    since: new Date(acquired).toISOString(),
    operation: isRemoval ? 'remove' : operation,
    ranOut: runsOut < now,
  }
}
