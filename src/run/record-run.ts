import {asKkError} from '../base/errors.ts'
import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import type {RunRecord, RunRecords, RunRelease} from '../kubernetes/records/runs.ts'
import {isMadeBy} from '../plan/installation.ts'
import type {ActionKind} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import type {RunEvent} from './events.ts'
import type {ObservedRun, RunObserver} from './observer.ts'
import type {RunState} from './run-state.ts'
import {newWriter} from './writer.ts'

export interface RecordOptions {
  /** The initial record, before any change. */
  readonly record: RunRecord
  readonly records: Pick<RunRecords, 'write' | 'prune'>
  /** Returns every revision of a release that helm keeps. */
  readonly revisions: (release: ReleaseId) => Promise<readonly ReleaseRecord[]>
}

/** The number of records of one environment that are kept in the cluster. */
const MAX_RECORDS = 50

const FORECAST: ReadonlySet<string> = new Set(['install', 'upgrade'] satisfies ActionKind[])

const CHANGING: ReadonlySet<RunEvent['type']> = new Set([
  'release-started',
  'object-deleted',
  'release-succeeded',
  'release-failed',
  'release-skipped',
])

/**
 * Writes the record of a run to the cluster, and throws the cluster's error if that fails. The observer
 * updates the record as releases start and end, and completes it at the end of the run; it reports later
 * write errors as `run-warned`.
 */
export async function recordRun({record, records, revisions}: RecordOptions): Promise<RunObserver> {
  await records.write(record)
  let current = () => record
  const writer = newWriter(async () => records.write(await withRevisions(current(), revisions)))
  await records.prune(record.environment, MAX_RECORDS).catch(writer.failed)
  const warn = (run: ObservedRun): void => {
    const trouble = writer.takeTrouble()
    if (trouble === undefined) return
    run.warned(
      `the record of run ${record.id} in the cluster is not up to date: ${asKkError(trouble).message}`,
    )
  }

  return {
    observe({type}, run) {
      if (CHANGING.has(type)) {
        current = () => withProgress(record, run.state)
        writer.request()
      }
      warn(run)
    },
    async finish(outcome, run) {
      const ended = outcome && {outcome, endedAt: new Date().toISOString()}
      current = () => ({...withProgress(record, run.state), ...ended})
      await writer.last()
      warn(run)
    },
  }
}

/** Returns the record with the progress of each release. */
function withProgress(record: RunRecord, {releases}: RunState): RunRecord {
  const progressed = record.releases.map((each): RunRelease => {
    const {progress, deleted} = releases.get(each.release) ?? {}
    if (!progress || progress.state === 'unchanged') return each
    return {
      ...each,
      outcome: progress.state,
      ...(deleted && {deleted}),
      ...(progress.state === 'succeeded' && {after: progress.revision}),
      // Only these are forecast, and the record of a large run is short of room.
      ...(progress.state === 'succeeded' &&
        FORECAST.has(each.kind) && {seconds: Math.round(progress.seconds * 10) / 10}),
      ...(progress.state === 'failed' && {code: progress.error.code}),
    }
  })
  return {...record, releases: progressed}
}

/**
 * Adds the revisions of failed releases. Only the cluster knows whether helm has made a revision, and another
 * process may have made it since.
 */
async function withRevisions(record: RunRecord, revisions: RecordOptions['revisions']): Promise<RunRecord> {
  const incomplete = record.releases.filter(({outcome, after}) => outcome === 'failed' && after === undefined)
  if (incomplete.length === 0) return record
  const revisionByRelease = new Map(
    await Promise.all(
      incomplete.map(async (entry) => {
        const records = await revisions(entry.release).catch(() => [])
        return [entry.release, revisionAfter(record.id, entry, records)] as const
      }),
    ),
  )
  const releases = record.releases.map((each) => {
    const after = revisionByRelease.get(each.release)
    return after === undefined ? each : {...each, after}
  })
  return {...record, releases}
}

function revisionAfter(
  run: string,
  {kind, before}: RunRelease,
  records: readonly ReleaseRecord[],
): number | undefined {
  if (records.length === 0) return undefined
  const next = records.find(({revision}) => revision === before + 1)
  return next && isMadeBy(next, run, kind) ? next.revision : before
}
