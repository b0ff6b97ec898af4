import {describe, expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {statusLine, statusText} from '../../../src/report/status/status-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import type {ReleaseStatus} from '../../../src/verbs/observation/release-status.ts'

const mariadb: ReleaseStatus = {
  release: 'openstack/mariadb',
  chart: 'mariadb',
  version: '0.1.0',
  revision: 1,
  status: 'deployed',
  gate: 'passed',
  inputs: 'current',
  health: {state: 'healthy'},
  wanted: true,
  owner: 'all-in-one',
  requires: [],
  dependents: [
    {release: 'openstack/keystone', environment: 'all-in-one'},
    {release: 'openstack/glance', environment: undefined},
  ],
}

const keystone: ReleaseStatus = {
  ...mariadb,
  release: 'openstack/keystone',
  chart: 'keystone',
  revision: 12,
  inputs: 'changed',
  health: {
    state: 'failed',
    blames: [
      {
        object: 'Deployment/keystone-api',
        message: 'progress deadline exceeded',
        pod: 'keystone-api-6f7c9d-x2kqm',
        container: 'keystone-api',
        reason: 'CrashLoopBackOff',
        log: ['Access denied for user keystone'],
      },
    ],
  },
  requires: ['openstack/mariadb'],
  dependents: [{release: 'openstack/glance', environment: undefined}],
}

const glance: ReleaseStatus = {
  ...mariadb,
  release: 'openstack/glance',
  chart: 'glance',
  revision: 0,
  status: 'not installed',
  inputs: 'unknown',
  health: undefined,
  owner: undefined,
  requires: ['openstack/mariadb', 'openstack/keystone'],
  dependents: [],
}

describe('the text of a status', () => {
  it('is a table, followed by causes', () => {
    expect(viewText(statusText([mariadb, keystone, glance], palette(0)))).toMatchInlineSnapshot(`
      "release   revision  status         health   inputs   chart           owner       requires  dependents
      mariadb          1  deployed       healthy  current  mariadb 0.1.0   all-in-one         0           2
      keystone        12  deployed       failed   changed  keystone 0.1.0  all-in-one         1           1
      glance           –  not installed  –        unknown  glance 0.1.0    –                  2           0

      keystone: Deployment/keystone-api: progress deadline exceeded; pod keystone-api-6f7c9d-x2kqm, container keystone-api: CrashLoopBackOff
        | Access denied for user keystone
      "
    `)
  })

  it.each<[string, Partial<ReleaseStatus>, string]>([
    ['nothing changes', {inputs: 'current'}, 'kk upgrade mariadb --correct-drift'],
    ['what requires it changes', {inputs: 'changed'}, 'kk deploy'],
    ['what requires it is to be installed', {inputs: 'unknown', revision: 0}, 'kk deploy'],
    ['another changes', {requires: []}, 'kk upgrade mariadb --correct-drift'],
  ])('shows the command that re-creates missing objects if %s', (_, differs, command) => {
    const rows = [
      {...mariadb, missing: ['Service/mariadb']},
      {...keystone, requires: ['mariadb'], ...differs},
    ]

    expect(viewText(statusText(rows, palette(0)))).toContain(
      `mariadb: gone from the cluster: Service/mariadb; to create it again: ${command}\n`,
    )
  })

  it('has only the table if all releases are healthy', () => {
    expect(viewText(statusText([mariadb], palette(0)))).toMatchInlineSnapshot(`
      "release  revision  status    health   inputs   chart          owner       requires  dependents
      mariadb         1  deployed  healthy  current  mariadb 0.1.0  all-in-one         0           2
      "
    `)
  })

  it('shows the holder of a release, its dependents, and the advice for an unfinished operation', () => {
    const held: ReleaseStatus = {
      ...mariadb,
      status: 'pending-upgrade',
      dependents: [...mariadb.dependents, {release: 'images/glance', environment: 'images'}],
      holder: {
        holder: 'ada@station (process 42, run r1)',
        since: '2026-11-21T08:30:00.123Z',
        operation: 'remove',
        stale: 'whose process is gone',
      },
      advice: 'another run may be at work: wait until it ends',
    }
    const left: ReleaseStatus = {...mariadb, release: 'openstack/wiki', wanted: false, dependents: []}

    expect(viewText(statusText([held, left], palette(0)))).toMatchInlineSnapshot(`
      "release  revision  status           health   inputs            chart          owner       requires  dependents
      mariadb         1  pending-upgrade  healthy  current           mariadb 0.1.0  all-in-one         0           3
      wiki            1  deployed         healthy  no longer wanted  mariadb 0.1.0  all-in-one         0           0

      mariadb: no process works on it: ada@station (process 42, run r1), whose process is gone, held it to remove it; the next run takes over
      mariadb: another run may be at work: wait until it ends
      mariadb: also required by images/glance (environment images)
      wiki: the file no longer names it; to remove it: kk remove wiki
      "
    `)
  })

  it('has a form with one line per release', () => {
    expect([mariadb, keystone, glance].map((row) => statusLine(row, palette(0)))).toMatchInlineSnapshot(`
      [
        "✔ openstack/mariadb  revision 1 deployed, healthy",
        "! openstack/keystone  revision 12 deployed, failed, Deployment/keystone-api: progress deadline exceeded; pod keystone-api-6f7c9d-x2kqm, container keystone-api: CrashLoopBackOff",
        "! openstack/glance  not installed",
      ]
    `)
  })

  it('shows the last tests with their age, and that of the whole cloud', () => {
    const now = Date.parse('2026-11-29T09:00:00Z')
    const rows: readonly ReleaseStatus[] = [
      {...mariadb, lastTest: {state: 'passed', at: '2026-11-29T08:47:30Z'}},
      {...glance, lastTest: {state: 'failed', at: '2026-11-29T05:00:00Z', before: 'revision 2'}},
      {...mariadb, release: 'openstack/nova', lastTest: {state: 'not-tested'}},
      {...mariadb, release: 'openstack/heat', lastTest: {state: 'passed', at: '2026-11-29T08:59:30Z'}},
    ]
    const lastTest = {state: 'passed', at: '2026-11-26T08:00:00Z', before: 'revision 7 of nova'} as const

    const text = viewText(statusText(rows, palette(0), {lastTest, now}))

    expect(text).toContain('passed 12 min ago')
    expect(text).toContain('passed < 1 min ago')
    expect(text).toContain('failed 4 h ago, before revision 2')
    expect(text).toMatch(/nova .* not tested /)
    expect(text).toContain('user test: passed 3 d ago, before revision 7 of nova')
  })

  it('reports that there are no releases', () => {
    expect(viewText(statusText([], palette(0)))).toBe('no releases\n')
  })
})
