import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {RunEntry} from '../../src/kubernetes/records/run-entry.ts'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {HELMS} from '../support/helms.ts'
import {get} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {helmRecords} from './support/records.ts'

/** What every simulated container logs. */
const LOG = 'this container is simulated: nothing runs in it'
const PASSES = {pod: {}}
const FAILS = {pod: {fail: 'JobFailed'}}

async function labels(environment: TestEnvironment) {
  const records = await helmRecords(environment.name)
  return records.map(({labels: {modifiedAt: _, ...kept}}) => kept)
}

async function pods(environment: TestEnvironment): Promise<readonly string[]> {
  const {items} = await get<{items: readonly {metadata: {name: string}}[]}>(
    'pods',
    '--namespace',
    environment.name,
  )
  return items.map(({metadata}) => metadata.name).filter((name) => name.endsWith('-test'))
}

const OF_HELM = {
  helm4: {auth: {password: LOG}, says: '| ***'},
  helm3: {auth: {}, says: `| ${LOG}`},
}

describe.each(HELMS)('kk test with %s', (helm) => {
  const {auth, says} = OF_HELM[helm]
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await makeEnvironment({
      helm,
      content: workloads({
        db: {values: {test: PASSES}},
        api: {requires: ['db'], values: {test: {...PASSES, deletePolicy: 'hook-succeeded'}}},
        broken: {requires: ['db'], values: {test: FAILS, auth}},
        none: {requires: ['broken']},
        late: {requires: ['none'], values: {test: PASSES}},
      }),
    })
    await environment.deploy()
  })

  it('runs the tests of requirements first, and leaves releases and records unchanged', async () => {
    const before = await labels(environment)

    const {exitCode, stdout, stderr} = await environment.kk('test', 'api', 'db', 'none', '--output', 'json')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('note: no tests: none')
    expect(JSON.parse(stdout)).toMatchObject({
      releases: [
        {release: `${environment.name}/db`, kind: 'test', state: 'succeeded', revision: 1},
        {release: `${environment.name}/api`, kind: 'test', state: 'succeeded', revision: 1},
      ],
      notes: ['no tests: none'],
    })
    const tests = (await environment.helmCalls()).filter((call) => call.startsWith('test '))
    expect(tests.map((call) => call.split(' ').at(-1))).toEqual(['db', 'api'])
    expect(await pods(environment)).toEqual(['db-test'])
    expect(await labels(environment)).toEqual(before)
    const {changes} = await environment.json<PlanDocument>('plan')
    expect(changes).toBe(false)
  })

  it('exits with 1 for a failed test, with its pod and its log without secrets, also as JUnit', async () => {
    const {exitCode, stderr} = await environment.kk('test', 'broken', 'late', '--report', 'junit=tests.xml')

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/KK_HELM_FAILED: .*helm test failed: .*Pod\/broken-test/)
    expect(stderr).toContain(says)
    expect(stderr).toContain('late skipped because broken failed')
    const xml = await readFile(join(environment.directory, 'tests.xml'), 'utf8')
    expect(xml).toMatch(/tests="2" failures="1" errors="0" skipped="1"/)
    expect(xml).toMatch(/name="broken"[\s\S]*<failure type="KK_HELM_FAILED"[\s\S]*broken-test/)
    const {runs} = await environment.json<{runs: readonly RunEntry[]}>('history')
    expect(runs.map(({verb}) => verb)).toEqual(['deploy'])
  })
})

describe.each(HELMS)('kk test of the whole cloud with %s', (helm) => {
  let environment: TestEnvironment
  const release = (name: string) => `${environment.name}/${name}`
  const testedReleases = async () => {
    const calls = (await environment.helmCalls()).filter((call) => call.startsWith('test '))
    return calls.map((call) => [call.split(' ').at(-1), /--filter (\S+)/.exec(call)?.[1]])
  }
  beforeAll(async () => {
    environment = await makeEnvironment({
      helm,
      content: workloads({
        api: {values: {test: PASSES, userTest: PASSES}},
        other: {requires: ['api'], values: {test: PASSES}},
        broken: {requires: ['api'], values: {test: FAILS}},
      }),
    })
    await environment.deploy()
  })

  it('runs after all other tests, also after a failed one', async () => {
    const {exitCode, stdout, stderr} = await environment.kk('test', '--output', 'json')

    expect(exitCode, stderr).toBe(1)
    const {releases} = JSON.parse(stdout)
    expect(releases.map((each: {release: string; state: string}) => [each.release, each.state])).toEqual(
      expect.arrayContaining([
        [release('broken'), 'failed'],
        [release('other'), 'succeeded'],
        [release('api:user'), 'succeeded'],
      ]),
    )
    const calls = await testedReleases()
    expect(calls[0]).toEqual(['api', '!name=api-user-test'])
    expect(calls.at(-1)).toEqual(['api', 'name=api-user-test'])
    expect(calls).toHaveLength(4)
  })

  it('is shown by kk status with the tests of each release', async () => {
    await environment.kk('test')

    const {stdout} = await environment.kk('status', '--output', 'json')

    const {releases, lastTest} = JSON.parse(stdout)
    const states = releases.map((each: {release: string; lastTest: {state: string}}) => [
      each.release,
      each.lastTest.state,
    ])
    expect(Object.fromEntries(states)).toEqual({
      [release('api')]: 'passed',
      [release('broken')]: 'failed',
      [release('other')]: 'passed',
    })
    expect(lastTest).toEqual({state: 'passed', at: expect.any(String)})
  })

  it('does not run with names, and runs alone with --only user', async () => {
    const before = (await testedReleases()).length

    const named = await environment.kk('test', 'api')
    const alone = await environment.kk('test', '--only', 'user')

    expect([named.exitCode, alone.exitCode]).toEqual([0, 0])
    expect((await testedReleases()).slice(before)).toEqual([
      ['api', '!name=api-user-test'],
      ['api', 'name=api-user-test'],
    ])
  })

  it('ends a deploy with --test, also one with nothing to do, in one result', async () => {
    const {exitCode, stdout} = await environment.kk('deploy', '--test', '--output', 'json')

    expect(exitCode).toBe(1)
    const {releases, tests} = JSON.parse(stdout)
    expect(releases).toContainEqual(expect.objectContaining({release: release('api'), state: 'unchanged'}))
    expect(tests.releases).toContainEqual(
      expect.objectContaining({release: release('api:user'), state: 'succeeded'}),
    )
    expect(tests.releases).toContainEqual(
      expect.objectContaining({release: release('broken'), state: 'failed'}),
    )
  })

  it('says in a dry run that tests follow', async () => {
    const {stdout} = await environment.kk('deploy', '--test', '--dry-run')

    expect(stdout).toContain('the tests of all releases are run')
  })
})
