import {describe, expect, it} from 'vitest'
import type {StoredRelease} from '../../../src/kubernetes/records/release-record.ts'
import {lastUserTest, recordedTests} from '../../../src/verbs/observation/last-test.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'

const hook = (name: string, annotations: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, annotations: {${annotations}}}\n`
const OWN = hook('keystone-test', 'helm.sh/hook: test')
const USER = hook('keystone-user-test', 'helm.sh/hook: test, kk.openstack.org/test: user')
const JOB = hook('keystone-migrate', 'helm.sh/hook: pre-upgrade')

function stored(hookRuns: StoredRelease['hookRuns'], revision = 5): StoredRelease {
  return {
    ...recordOf(desiredOf('keystone'), {revision}),
    manifest: '',
    values: {},
    hooks: [],
    hookRuns,
    chart: {name: 'keystone', version: '', appVersion: ''},
    applyMethod: undefined,
    deployedAt: '2026-11-29T08:00:00.123456789+01:00',
  }
}

const run = (manifest: string, phase: string, completedAt?: string) => ({
  manifest,
  phase,
  ...(completedAt !== undefined && {completedAt}),
})
const AFTER = '2026-11-29T07:10:00.5Z'
const EARLIER = '2026-11-29T06:50:00Z'

describe('the last tests of a release', () => {
  it('are those of its own service and those that use the whole cloud, without other hooks', () => {
    const runs = [run(OWN, 'Succeeded', AFTER), run(USER, 'Failed', AFTER), run(JOB, 'Failed', AFTER)]

    expect(recordedTests(stored(runs))).toMatchObject({
      own: {state: 'passed', at: AFTER},
      user: {state: 'failed', at: AFTER},
    })
  })

  it('are undefined for a release without tests', () => {
    expect(recordedTests(stored([run(JOB, 'Succeeded', AFTER)]))).toMatchObject({
      own: undefined,
      user: undefined,
    })
  })

  it.each([
    ['have not run', [run(OWN, '')]],
    ['have not run, with the zero time of Go', [run(OWN, 'Unknown', '0001-01-01T00:00:00Z')]],
    ['have not ended', [run(OWN, 'Running', '')]],
    ['have run only in part', [run(OWN, 'Succeeded', AFTER), run(OWN, '')]],
  ])('are "not tested" if they %s', (_, runs) => {
    expect(recordedTests(stored(runs)).own).toEqual({state: 'not-tested'})
  })

  it('are older than the revision after a rollback, which copies them', () => {
    expect(recordedTests(stored([run(OWN, 'Succeeded', EARLIER)])).own).toEqual({
      state: 'passed',
      at: EARLIER,
      before: 'revision 5',
    })
  })
})

describe('the last test of the whole cloud', () => {
  const keystone = recordedTests(stored([run(USER, 'Succeeded', AFTER)]))

  it('is undefined if no release has such tests', () => {
    expect(lastUserTest([['openstack/nova', 1, recordedTests(stored([]))]])).toBeUndefined()
  })

  it('is older than a later change of another release', () => {
    const nova = {...recordedTests(stored([])), deployedAt: '2026-11-29T08:30:00Z'}

    const test = lastUserTest([
      ['openstack/keystone', 5, keystone],
      ['openstack/nova', 7, nova],
    ])

    expect(test).toEqual({state: 'passed', at: AFTER, before: 'revision 7 of nova'})
  })

  it('has failed if that of one release has', () => {
    const other = recordedTests(stored([run(USER, 'Failed', AFTER)]))

    expect(
      lastUserTest([
        ['openstack/keystone', 5, keystone],
        ['openstack/own', 5, other],
      ]),
    ).toEqual({state: 'failed', at: AFTER})
  })
})
