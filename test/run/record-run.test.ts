import {describe, expect, it, onTestFinished, vi} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {RunRecord, RunRecords} from '../../src/kubernetes/records/runs.ts'
import {labelsOf, RUN_LABEL} from '../../src/plan/labels.ts'
import {type RecordOptions, recordRun} from '../../src/run/record-run.ts'
import {run} from '../../src/run/run.ts'
import type {Perform} from '../../src/run/task.ts'
import {runRecord, runRelease} from '../kubernetes/support/run-record.ts'
import {bareRecord, desiredOf} from '../plan/fixtures.ts'
import {planOf} from './plan-of.ts'
import {collected, story} from './run-of.ts'

const NOW = Date.parse('2026-11-21T08:00:00Z')
const RECORD = runRecord({
  releases: [
    runRelease('mariadb', {kind: 'install', before: 0, gatedBefore: 0}),
    runRelease('keystone', {before: 4, gatedBefore: 3, inputs: 'b'}),
  ],
})
const MARIADB = 'openstack/mariadb'

const PERFORM: Perform = async ({release}) => {
  if (release === MARIADB) return {revision: 1}
  throw new KkError('KK_UNHEALTHY', 'password is hunter2')
}

function madeBy(run: string, revision: number, written = revision) {
  const labels = {...labelsOf(desiredOf('keystone'), written), [RUN_LABEL]: run}
  return {...bareRecord('openstack/keystone', revision), labels}
}

/** Records a run with a cluster that keeps what is written. */
function recording(
  write: RunRecords['write'] = async () => undefined,
  revisions: RecordOptions['revisions'] = async () => [madeBy('r1', 5)],
) {
  const written: RunRecord[] = []
  const order: string[] = []
  const records: Pick<RunRecords, 'write' | 'prune'> = {
    async write(record) {
      await write(record)
      written.push(record)
    },
    prune: async (environment, keep) =>
      void order.push(`${environment} ${keep} after ${written.length} record`),
  }
  const recorder = recordRun({record: RECORD, records, revisions})
  const plan = planOf({mariadb: [], keystone: ['mariadb']}, {keystone: 'upgrade'})
  async function* recorded() {
    yield* run({run: 'r1', plan, perform: PERFORM, concurrency: 8, observers: [await recorder]})
  }
  return {recorder, recorded: recorded(), written, order}
}

describe('the record of a run', () => {
  it('is in the cluster before the first event, and older ones are pruned', async () => {
    const {recorder, written, order} = recording()

    await recorder

    expect(written).toEqual([RECORD])
    expect(order).toEqual(['all-in-one 50 after 1 record'])
  })

  it('is completed before the run is reported as finished: each release with its revisions, without messages', async () => {
    vi.useFakeTimers({now: NOW, toFake: ['Date']})
    onTestFinished(() => void vi.useRealTimers())
    const {recorded, written} = recording()

    for await (const event of recorded) {
      if (event.type !== 'run-finished') continue
      expect(written.at(-1)).toEqual({
        ...RECORD,
        outcome: 'failed',
        endedAt: '2026-11-21T08:00:00.000Z',
        releases: [
          {...RECORD.releases[0], outcome: 'succeeded', after: 1, seconds: 0},
          {...RECORD.releases[1], outcome: 'failed', after: 5, code: 'KK_UNHEALTHY'},
        ],
      })
    }
    expect(JSON.stringify(written)).not.toContain('hunter2')
  })

  it('has its keys in a fixed order, whatever happened', async () => {
    const {recorded, written} = recording()

    await collected(recorded)

    expect(Object.keys(written.at(-1)!).join()).toBe(`${Object.keys(RECORD).join()},endedAt`)
    const keys = Object.keys(RECORD.releases[0]!).join()
    expect(written.at(-1)?.releases.map((release) => Object.keys(release).join())).toEqual([
      `${keys},after,seconds`,
      `${keys},code,after`,
    ])
  })

  it.each([
    {what: 'another run made', revisions: [madeBy('r0', 4), madeBy('r2', 5)], after: 4},
    {what: 'plain helm made', revisions: [madeBy('r0', 4), madeBy('r0', 5, 4)], after: 4},
    {what: 'was made upon its own', revisions: [madeBy('r1', 5), madeBy('r1', 6, 5)], after: 5},
  ])('contains no revision that $what', async ({revisions, after}) => {
    const {recorded, written} = recording(undefined, async () => revisions)

    await collected(recorded)

    expect(written.at(-1)?.releases[1]).toMatchObject({outcome: 'failed', after})
  })

  it('prevents the run if it cannot be written at the start', async () => {
    const refusal = new KkError('KK_FORBIDDEN', 'may not create configmaps')
    const {recorded} = recording(async () => {
      throw refusal
    })

    await expect(recorded.next()).rejects.toBe(refusal)
  })

  it('reports later write errors, and the run continues', async () => {
    let writes = 0
    const {recorded} = recording(async () => {
      writes += 1
      if (writes > 1) throw new KkError('KK_UNREACHABLE', 'no answer')
    })

    const events = await collected(recorded)

    const warnings = events.filter(({type}) => type === 'run-warned')
    expect(warnings[0]).toMatchObject({
      message: 'the record of run r1 in the cluster is not up to date: no answer',
    })
    expect(story(events)).toEqual([
      'started mariadb',
      'succeeded mariadb',
      'started keystone',
      'failed keystone',
    ])
    expect(events.at(-1)).toMatchObject({type: 'run-finished'})
  })
})
