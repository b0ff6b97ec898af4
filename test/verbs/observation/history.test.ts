import {hostname} from 'node:os'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {Records} from '../../../src/kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {runState} from '../../../src/kubernetes/records/run-entry.ts'
import type {RunRecord, RunRelease} from '../../../src/kubernetes/records/runs.ts'
import {INSTALLATION_LABEL, RUN_LABEL} from '../../../src/plan/labels.ts'
import {identifyProcess} from '../../../src/state/processes/process-identity.ts'
import {releaseHistory} from '../../../src/verbs/observation/history.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {runRecord, runRelease} from '../../kubernetes/support/run-record.ts'
import {bareRecord, desiredOf, recordOf} from '../../plan/fixtures.ts'

function runOf(more: Partial<RunRecord> = {}): RunRecord {
  return runRecord({process: {host: hostname(), pid: process.pid}, ...more})
}

describe('the outcome of a run', () => {
  it('is that of its record if the record was closed', async () => {
    expect(await runState(runOf({outcome: 'failed'}))).toBe('failed')
  })

  it('is "running" while its process runs on this machine', async () => {
    const self = (await identifyProcess(process.pid))!

    expect(await runState(runOf({process: {host: hostname(), ...self}}))).toBe('running')
  })

  it('is "killed" when its process is gone, or another has its id', async () => {
    const ended = execa(process.execPath, ['--version'])
    const {pid} = ended
    await ended
    const other = {host: hostname(), pid: process.pid, started: '1'}

    expect(await runState(runOf({process: {host: hostname(), pid: pid!}}))).toBe('killed')
    expect(await runState(runOf({process: other}))).toBe('killed')
  })

  it('is unknown for a process on another machine', async () => {
    expect(await runState(runOf({process: {host: 'elsewhere', pid: 1}}))).toBe('not-ended')
  })
})

describe('the revisions of a release', () => {
  const keystone = desiredOf('keystone')
  const chart = {name: 'keystone', version: '0.1.0', appVersion: '2025.1'}

  function clusterOf(records: readonly ReleaseRecord[], runs: readonly RunRecord[] = []) {
    return {
      records: port<Records>({
        revisions: async () => records,
        stored: async (_release, revision) => {
          if (revision === 13) throw new KkError('KK_RECORD', 'it cannot be read')
          const record = records.find((each) => each.revision === revision)!
          return {
            ...record,
            manifest: '',
            values: {},
            hooks: [],
            annotations: {},
            chart,
            applyMethod: undefined,
            deployedAt: `2026-11-21T08:00:0${revision}Z`,
          }
        },
      }),
      runs: {
        list: async () => runs,
        read: async () => undefined,
        write: async () => {},
        prune: async () => {},
      },
    }
  }

  const entry = (more: Partial<RunRelease>) =>
    runRelease('keystone', {installation: 'uid-keystone', outcome: 'succeeded', ...more})

  it('are returned newest first, each with gate, chart, time and run', async () => {
    const records = [
      recordOf(keystone, {revision: 1, status: 'superseded'}),
      recordOf(keystone, {revision: 2, status: 'failed', gated: undefined}),
    ]
    const runs = [runOf({id: 'r2', releases: [entry({after: 2})]})]

    const {owner, revisions} = await releaseHistory(clusterOf(records, runs), 'keystone', {})

    expect(owner).toBe('all-in-one')
    expect(revisions.map(({revision, status, gate, at, run}) => [revision, status, gate, at, run])).toEqual([
      [2, 'failed', 'not-passed', '2026-11-21T08:00:02Z', 'r2'],
      [1, 'superseded', 'passed', '2026-11-21T08:00:01Z', undefined],
    ])
    expect(revisions[0]).toMatchObject({chart: 'keystone', version: '0.1.0', appVersion: '2025.1'})
  })

  it.each([
    {what: 'made it', release: entry({after: 2}), run: 'r1'},
    {what: 'was killed while it made it', release: entry({outcome: 'running'}), run: 'r1'},
    {what: 'only checked it', release: entry({kind: 'check', before: 2, after: 2}), run: undefined},
    {
      what: 'failed before helm made it',
      release: entry({before: 2, after: 2, outcome: 'failed'}),
      run: undefined,
    },
  ])('name the run that $what: $run', async ({release, run}) => {
    const records = [recordOf(keystone, {revision: 2})]

    const {revisions} = await releaseHistory(
      clusterOf(records, [runOf({releases: [release]})]),
      'keystone',
      {},
    )

    expect(revisions[0]!.run).toBe(run)
  })

  const labelled = (revision: number, labels: Readonly<Record<string, string>>, written = revision) => {
    const record = recordOf(keystone, {revision, written})
    return {...record, labels: {...record.labels, ...labels}}
  }

  it('name the run of their label, and none if plain helm has copied the label', async () => {
    const records = [
      labelled(2, {[RUN_LABEL]: 'r1'}),
      labelled(3, {[RUN_LABEL]: 'r1'}, 2),
      labelled(4, {[RUN_LABEL]: 'r4'}),
    ]
    const failed = runOf({id: 'r1', releases: [entry({after: 3, outcome: 'failed'})]})

    const {revisions} = await releaseHistory(clusterOf(records, [failed]), 'keystone', {})

    expect(revisions.map(({revision, run}) => [revision, run])).toEqual([
      [4, 'r4'],
      [3, undefined],
      [2, 'r1'],
    ])
  })

  it('name no run of an installation before this one', async () => {
    const records = [labelled(2, {[INSTALLATION_LABEL]: 'i2'})]
    const former = runOf({releases: [entry({installation: 'i1', after: 2})]})

    const {revisions} = await releaseHistory(clusterOf(records, [former]), 'keystone', {})

    expect(revisions[0]!.run).toBeUndefined()
  })

  it('are returned without a gate for releases that kk did not install', async () => {
    const {owner, revisions} = await releaseHistory(
      clusterOf([bareRecord(id('keystone'))]),
      'openstack/keystone',
      {},
    )

    expect(owner).toBeUndefined()
    expect(revisions[0]!.gate).toBe('unknown')
  })

  it('are returned despite an unreadable record', async () => {
    const records = [recordOf(keystone, {revision: 12}), recordOf(keystone, {revision: 13})]

    const {revisions} = await releaseHistory(clusterOf(records), 'keystone', {})

    expect(revisions[0]).toMatchObject({revision: 13, note: 'its record cannot be read'})
    expect(revisions[1]).toMatchObject({revision: 12, chart: 'keystone'})
  })
})
