import type {RunRecord, RunRecords, RunRelease} from '../../cluster/runs/run-record.ts'
import {asKkError} from '../../errors.ts'
import type {ReleaseId} from '../../release.ts'
import type {RunEvent} from '../events.ts'

export interface RecordOptions {
  readonly events: AsyncIterable<RunEvent>
  /** As it is when nothing has been done yet. */
  readonly record: RunRecord
  readonly records: Pick<RunRecords, 'write' | 'prune'>
  /** Called when the record stands, before the run begins. */
  readonly onRecorded: () => Promise<void>
  /** The last revision of a release now. */
  readonly lastRevision: (release: ReleaseId) => Promise<number | undefined>
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/** Records of one environment that stay in the cluster. */
const KEPT = 50

const CHANGING: ReadonlySet<RunEvent['type']> = new Set([
  'release-started',
  'object-deleted',
  'release-succeeded',
  'release-failed',
  'release-skipped',
])

/**
 * Hands on the events of a run, and keeps its record in the cluster: written before the first event, which throws
 * what the cluster says when it cannot be; brought up to date as releases start and end, and closed before
 * `run-finished` is handed on. Later failures to write are handed on as one `run-warned`.
 */
export async function* recordRun(options: RecordOptions): AsyncGenerator<RunEvent> {
  const {records, lastRevision, now = Date.now} = options
  let record = options.record
  await records.write(record)
  const writer = newWriter(async () => records.write(await withRevisions(record, lastRevision)))
  await options.onRecorded()
  await records.prune(record.environment, KEPT).catch(writer.failed)

  for await (const event of options.events) {
    record = recorded(record, event, now)
    if (event.type === 'run-finished') await writer.last()
    if (CHANGING.has(event.type)) writer.request()
    yield* warnings(writer, record, now)
    yield event
  }
}

/** The record after one more event. */
function recorded(record: RunRecord, event: RunEvent, now: () => number): RunRecord {
  switch (event.type) {
    case 'release-started':
      return withRelease(record, event.release, {outcome: 'running'})
    case 'object-deleted':
      return withRelease(record, event.release, ({deleted = []}) => ({deleted: [...deleted, event.object]}))
    case 'release-succeeded':
      return withRelease(record, event.release, {outcome: 'succeeded', after: event.revision})
    case 'release-failed':
      return withRelease(record, event.release, {outcome: 'failed', code: event.error.code})
    case 'release-skipped':
      return withRelease(record, event.release, {outcome: 'skipped'})
    case 'run-finished':
      return {...record, outcome: event.outcome, endedAt: new Date(now()).toISOString()}
    default:
      return record
  }
}

type Changes = Partial<RunRelease> | ((before: RunRelease) => Partial<RunRelease>)

/** Found and replaced without a call for each: with thousands of releases this is done ten thousand times. */
function withRelease(record: RunRecord, release: ReleaseId, changes: Changes): RunRecord {
  const place = record.releases.findIndex((each) => each.release === release)
  const found = record.releases[place]
  if (!found) return record
  const changed = typeof changes === 'function' ? changes(found) : changes
  return {...record, releases: record.releases.with(place, {...found, ...changed})}
}

/** Of a release that failed, only the cluster knows whether helm has made a revision. */
async function withRevisions(
  record: RunRecord,
  lastRevision: RecordOptions['lastRevision'],
): Promise<RunRecord> {
  const unknown = record.releases.filter(({outcome, after}) => outcome === 'failed' && after === undefined)
  if (unknown.length === 0) return record
  const revisions = await Promise.all(
    unknown.map(async ({release}) => [release, await lastRevision(release).catch(() => undefined)] as const),
  )
  const known = new Map(revisions)
  const releases = record.releases.map((each) => {
    const after = known.get(each.release)
    return after === undefined ? each : {...each, after}
  })
  return {...record, releases}
}

/** Writes one at a time; what is asked for meanwhile is one more write. */
function newWriter(write: () => Promise<void>) {
  let writing: Promise<void> | undefined
  let again = false
  let trouble: unknown

  const loop = async (): Promise<void> => {
    do {
      again = false
      await write().then(
        () => undefined,
        (error: unknown) => {
          trouble ??= error
        },
      )
    } while (again)
    writing = undefined
  }
  const request = (): void => {
    again = true
    writing ??= loop()
  }
  return {
    request,
    failed(error: unknown): void {
      trouble ??= error
    },
    async last(): Promise<void> {
      request()
      await writing
    },
    /** What went wrong since this was asked last, once. */
    takeTrouble(): unknown {
      const taken = trouble
      trouble = undefined
      return taken
    },
  }
}

function* warnings(
  writer: {takeTrouble(): unknown},
  {id}: RunRecord,
  now: () => number,
): Generator<RunEvent> {
  const trouble = writer.takeTrouble()
  if (trouble === undefined) return
  const message = `the record of run ${id} in the cluster is not up to date: ${asKkError(trouble).message}`
  yield {type: 'run-warned', at: now(), message}
}
