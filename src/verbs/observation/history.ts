import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import type {Environment} from '../../environment/environment.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {type RunEntry, runEntry} from '../../kubernetes/records/run-entry.ts'
import type {RunRecord, RunRecords} from '../../kubernetes/records/runs.ts'
import {type Installations, isOfCurrentInstallation} from '../../plan/installation.ts'
import {type Gate, gateOf, readLabels} from '../../plan/labels.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import type {ReleaseId} from '../../release.ts'
import {noSuchOwner} from './no-such-owner.ts'
import {releaseOnCluster} from './release-on-cluster.ts'

/** One revision of a release. */
export interface RevisionEntry {
  readonly revision: number
  /** The status that Helm records. */
  readonly status: string
  readonly gate: Gate
  readonly chart: string
  readonly version: string
  readonly appVersion: string
  /** The time of deployment in ISO 8601. */
  readonly at: string | undefined
  /** The run that made it, if known from labels or records of runs. */
  readonly run: string | undefined
  readonly note?: string
}

export interface ReleaseHistory {
  readonly release: ReleaseId
  readonly owner: string | undefined
  /** Newest first. */
  readonly revisions: readonly RevisionEntry[]
}

/** The name of the environment, and the environment itself if its file is specified. */
interface Scope {
  readonly owner?: string | undefined
  readonly environment?: Environment | undefined
}

/**
 * Returns the runs of an environment, or all, newest first. Throws `KK_USAGE` for a name without a file and
 * without runs.
 */
export async function runHistory(
  runs: RunRecords,
  {owner, environment}: Scope,
): Promise<readonly RunEntry[]> {
  const records = await runs.list(owner)
  if (records.length === 0 && owner !== undefined && !environment) {
    const all = await runs.list()
    throw noSuchOwner(
      owner,
      'run',
      all.map((run) => run.environment),
    )
  }
  return Promise.all(records.map(runEntry))
}

/** Returns the revisions of a release that helm keeps. Throws `KK_UNKNOWN_RELEASE`, `KK_USAGE`. */
export async function releaseHistory(
  cluster: {readonly runs: RunRecords; readonly records: Records},
  name: string,
  {owner, environment}: Scope,
): Promise<ReleaseHistory> {
  const {revisions: all} = await visibleRevisions(cluster, {names: [name], owner, environment})
  const {release, labels} = releaseOnCluster([...lastRevisions(all).values()], name, owner)
  const own = readLabels(labels)?.owner
  const runs = own === undefined ? [] : await cluster.runs.list(own)
  const records = all.filter((record) => record.release === release).toReversed()
  const revisions = await mapParallel(records, (record) =>
    makeEntry(cluster.records, record, {revisions: records, runs}),
  )
  return {release, owner: own, revisions}
}

async function makeEntry(
  records: Records,
  record: ReleaseRecord,
  observed: Installations,
): Promise<RevisionEntry> {
  const {release, revision, status} = record
  const common = {revision, status, gate: gateOf(record), run: runOfRevision(record, observed)}
  try {
    const stored = await records.stored(release, revision)
    const {name = '', version = '', appVersion = ''} = stored?.chart ?? {}
    return {...common, chart: name, version, appVersion, at: stored?.deployedAt}
  } catch (error) {
    if (!(error instanceof KkError) || error.code !== 'KK_RECORD') throw error
    return {
      ...common,
      chart: '',
      version: '',
      appVersion: '',
      at: undefined,
      note: 'its record cannot be read',
    }
  }
}

/**
 * Returns the run that made a revision, from its label or, for an older kk or a killed rollback, from a run
 * record.
 */
function runOfRevision(record: ReleaseRecord, observed: Installations): string | undefined {
  const {run, revision} = readLabels(record.labels) ?? {}
  if (run === undefined) return observed.runs.find((each) => hasMade(each, record, observed))?.id
  if (revision === record.revision) return run
  return observed.runs.find((each) => each.verb === 'rollback' && hasMade(each, record, observed))?.id
}

/**
 * Returns true if a run made a revision, including the next one if the run was killed before it recorded
 * that.
 */
function hasMade(run: RunRecord, {release, revision}: ReleaseRecord, observed: Installations): boolean {
  const entry = run.releases.find((each) => each.release === release)
  if (!entry || !['install', 'upgrade', 'rollback'].includes(entry.kind)) return false
  if (!isOfCurrentInstallation(run, entry, observed)) return false
  if (entry.after === undefined) return entry.outcome === 'running' && revision === entry.before + 1
  return entry.after === revision && revision > entry.before
}
