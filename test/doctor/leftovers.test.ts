import {describe, expect, it} from 'vitest'
import {judgeApprovals, judgePending} from '../../src/doctor/checks.ts'
import {judgeLease} from '../../src/doctor/leftovers/leases.ts'
import type {Leftover} from '../../src/doctor/leftovers/leftovers.ts'
import {judgeObjects} from '../../src/doctor/leftovers/objects.ts'
import {judgeRuns} from '../../src/doctor/leftovers/runs.ts'
import type {LeaseView} from '../../src/kubernetes/lease/view.ts'
import type {RunEntry} from '../../src/kubernetes/records/run-entry.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

describe('approvals of the guard', () => {
  const approval = {release: 'openstack/db', expires: NOW / 1000, by: 'ada', objects: []} as const

  it('are reported from the second of their expiry, with the command that removes them', () => {
    expect(judgeApprovals([approval], NOW, 'kk guard install --yes --context production')).toEqual([
      {
        level: 'info',
        what: 'the approval to delete objects of openstack/db, by ada, expired at 2026-11-21T12:00:00.000Z',
        advice: 'kk guard install --yes --context production',
      },
    ])
  })

  it('are not reported until the second before their expiry', () => {
    expect(judgeApprovals([{...approval, expires: NOW / 1000 + 1}], NOW, '')).toEqual([])
  })
})

describe('objects that helm no longer tracks', () => {
  const extra: Leftover = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'extra',
    namespace: 'openstack',
    uid: 'u',
    revision: 2,
  }
  const data: Leftover = {...extra, kind: 'PersistentVolumeClaim', name: 'data', kept: 'data'}
  const places = {place: '--sandbox', file: 'env.yaml --sandbox'}
  const judge = (status: string, ...left: readonly Leftover[]) =>
    judgeObjects({release: 'openstack/api', status}, left, places)

  it('are removed by a prune, except those that must stay', () => {
    expect(judge('deployed', extra, data)).toEqual([
      {
        level: 'warning',
        what: 'a failed revision of openstack/api created ConfigMap/extra, PersistentVolumeClaim/data (stays), which helm no longer tracks',
        advice: 'kk drift api --prune --sandbox',
      },
    ])
  })

  it('are removed after a deploy if the last revision failed', () => {
    expect(judge('failed', extra)).toMatchObject([
      {advice: 'kk deploy env.yaml --sandbox && kk drift api --prune --sandbox'},
    ])
  })

  it('need no action if all of them stay, or if there are none', () => {
    expect(judge('deployed', data)).toMatchObject([{level: 'info'}])
    expect(judge('deployed', data)[0]).not.toHaveProperty('advice')
    expect(judge('deployed')).toEqual([])
  })
})

describe('a Lease', () => {
  const lease: LeaseView = {
    release: 'openstack/api',
    holder: 'ada@elsewhere',
    process: undefined,
    acquiredAt: '2026-11-21T11:00:00.000000Z',
    renewedAt: '2026-11-21T11:58:00.000000Z',
    runsOut: NOW - 60_000,
    isRemoval: false,
    operation: undefined,
    processes: {holder: 'unseen'},
  }

  it('is reported as left by its holder a minute after its renewal deadline', () => {
    expect(judgeLease(lease, undefined, NOW)).toEqual([
      {
        level: 'info',
        what: 'the Lease of openstack/api is left by ada@elsewhere, who has not renewed it since 2026-11-21T11:58:00Z',
        advice: 'nothing to do: the next kk command that changes openstack/api takes it over automatically',
      },
    ])
  })

  it('is reported immediately if the process of its holder is gone', () => {
    const gone: LeaseView = {...lease, runsOut: NOW + 60_000, isRemoval: true, processes: {holder: 'gone'}}

    expect(judgeLease(gone, undefined, NOW)).toMatchObject([
      {what: expect.stringMatching(/whose process is gone: it marks the release as being removed/)},
    ])
  })

  it.each<[string, Partial<LeaseView>]>([
    ['was renewed since', {runsOut: NOW - 59_999}],
    ['was given back', {holder: undefined}],
    ['has no deadline', {runsOut: undefined}],
    [
      'has a running helm',
      {
        processes: {holder: 'gone', operation: {kk: 'gone', helm: {state: 'running', process: {pid: 7}}}},
      },
    ],
  ])('is not reported if it %s', (_, change) => {
    expect(judgeLease({...lease, ...change}, undefined, NOW)).toEqual([])
  })
})

describe('an unfinished operation', () => {
  const pending = recordOf(desiredOf('api'), {revision: 3, status: 'pending-upgrade'})

  it('is recovered by a deploy of the environment file if that is known', () => {
    const stale = {...pending, evidence: {state: 'stale', why: 'whose helm is gone', run: 'r1'}} as const

    expect(judgePending(stale, 'env.yaml --sandbox')).toMatchObject([
      {level: 'problem', advice: 'kk deploy env.yaml --sandbox'},
    ])
    expect(judgePending(stale, undefined)).toMatchObject([
      {advice: expect.stringContaining('kk deploy recovers it')},
    ])
  })

  it('of a removal is completed by the same removal, and so is its run', () => {
    const stale = {state: 'stale', why: 'whose helm is gone', run: 'r1'} as const
    const removed = {...pending, status: 'uninstalling', evidence: stale}
    const run = {
      ...{id: 'r1', environment: 'cloud', file: 'env.yaml', verb: 'remove', who: 'ada@here'},
      ...{state: 'killed', scope: {names: ['api'], install: false}, startedAt: '2026-11-21T11:00:00Z'},
    } as unknown as RunEntry

    expect(judgePending(removed, 'env.yaml')).toMatchObject([{advice: 'kk remove api env.yaml'}])
    expect(judgePending(removed, undefined)).toMatchObject([
      {advice: expect.stringContaining('kk remove api finishes its removal, kk deploy brings it back')},
    ])
    const [found] = judgeRuns({runs: [run], leases: [], now: NOW, placeOf: () => 'env.yaml'})
    expect(found?.advice).toBe('kk remove api env.yaml')
  })

  it('without evidence of kk is unlocked by name', () => {
    expect(judgePending({...pending, evidence: {state: 'foreign'}}, 'env.yaml')).toMatchObject([
      {level: 'problem', advice: expect.stringContaining('kk unlock api --revision 3')},
    ])
  })

  it('that another process is running is only noted', () => {
    const evidence = {state: 'running', by: 'helm', alone: false, pid: 7, run: 'r1'} as const

    expect(judgePending({...pending, evidence}, 'env.yaml')).toMatchObject([{level: 'info'}])
  })
})
