import {describe, expect, it} from 'vitest'
import type {RunRecord, RunRecords} from '../../../src/cluster/runs/run-record.ts'
import {KkError} from '../../../src/errors.ts'
import type {RunEvent} from '../../../src/run/events.ts'
import {recordRun} from '../../../src/run/journal/record-run.ts'

const NOW = Date.parse('2026-11-21T08:00:00Z')
const RECORD: RunRecord = {
  id: 'r1',
  environment: 'all-in-one',
  file: 'all-in-one.yaml',
  verb: 'deploy',
  scope: {names: [], install: true},
  who: 'operator@host',
  process: {host: 'host', pid: 1},
  startedAt: '2026-11-21T08:00:00.000Z',
  outcome: 'running',
  releases: [
    {
      release: 'openstack/mariadb',
      kind: 'install',
      before: 0,
      gatedBefore: 0,
      inputs: 'a',
      outcome: 'waiting',
    },
    {
      release: 'openstack/keystone',
      kind: 'upgrade',
      before: 4,
      gatedBefore: 3,
      inputs: 'b',
      outcome: 'waiting',
    },
  ],
}
const [MARIADB, KEYSTONE] = RECORD.releases.map(({release}) => release) as [
  'openstack/mariadb',
  'openstack/keystone',
]

const EVENTS: readonly RunEvent[] = [
  {type: 'release-started', at: NOW, release: MARIADB, kind: 'install'},
  {type: 'release-succeeded', at: NOW, release: MARIADB, kind: 'install', revision: 1, seconds: 1},
  {type: 'release-started', at: NOW, release: KEYSTONE, kind: 'upgrade'},
  {
    type: 'release-failed',
    at: NOW,
    release: KEYSTONE,
    error: {code: 'KK_UNHEALTHY', message: 'password is hunter2', log: []},
    seconds: 1,
  },
  {
    type: 'run-finished',
    at: NOW,
    outcome: 'failed',
    seconds: 2,
    succeeded: 1,
    failed: 1,
    skipped: 0,
    unchanged: 0,
  },
]

/** Records a run of these events with a cluster that keeps what is written. */
function recording(write: RunRecords['write'] = async () => undefined) {
  const written: RunRecord[] = []
  const order: string[] = []
  const records: Pick<RunRecords, 'write' | 'prune'> = {
    async write(record) {
      await write(record)
      written.push(record)
    },
    prune: async (environment, keep) => void order.push(`${environment} ${keep}`),
  }
  async function* events() {
    yield* EVENTS
  }
  const recorded = recordRun({
    events: events(),
    record: RECORD,
    records,
    onRecorded: async () => void order.push(`begins with ${written.length} record`),
    lastRevision: async () => 5,
    now: () => NOW,
  })
  return {recorded, written, order}
}

describe('the record of a run', () => {
  it('is in the cluster before the first event, and older ones are pruned', async () => {
    const {recorded, written, order} = recording()

    await recorded.next()

    expect(written[0]).toEqual(RECORD)
    expect(order).toEqual(['begins with 1 record', 'all-in-one 50'])
    await recorded.return(undefined)
  })

  it('is closed before the run is said to be finished: each release with its revisions, without any text', async () => {
    const {recorded, written} = recording()

    for await (const event of recorded) {
      if (event.type !== 'run-finished') continue
      expect(written.at(-1)).toEqual({
        ...RECORD,
        outcome: 'failed',
        endedAt: '2026-11-21T08:00:00.000Z',
        releases: [
          {...RECORD.releases[0], outcome: 'succeeded', after: 1},
          {...RECORD.releases[1], outcome: 'failed', after: 5, code: 'KK_UNHEALTHY'},
        ],
      })
    }
    expect(JSON.stringify(written)).not.toContain('hunter2')
  })

  it('that cannot be written at the start refuses the run', async () => {
    const refusal = new KkError('KK_FORBIDDEN', 'may not create configmaps')
    const {recorded} = recording(async () => {
      throw refusal
    })

    await expect(recorded.next()).rejects.toBe(refusal)
  })

  it('that cannot be written later is said, and the run goes on', async () => {
    let writes = 0
    const {recorded} = recording(async () => {
      writes += 1
      if (writes > 1) throw new KkError('KK_UNREACHABLE', 'no answer')
    })

    const events: RunEvent[] = []
    for await (const event of recorded) events.push(event)

    const warnings = events.filter(({type}) => type === 'run-warned')
    expect(warnings[0]).toMatchObject({
      message: 'the record of run r1 in the cluster is not up to date: no answer',
    })
    expect(events.filter(({type}) => type !== 'run-warned')).toEqual(EVENTS)
    expect(events.at(-1)).toMatchObject({type: 'run-finished'})
  })
})
