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
