import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {kubectl} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {revisions} from './support/records.ts'

const CHANGED = {replicas: 2}
const BROKEN = {replicas: 2, job: {version: 2, pod: {fail: 'JobFailed'}}}

/**
 * `api` requires `db`; `web` stands alone. All are deployed; then all are changed, and `api` so that it
 * fails. With `extra`, a release that is new.
 */
async function failing(args: readonly string[], extra = {}): Promise<Failed> {
  const environment = await makeEnvironment({
    content: workloads({db: {}, api: {requires: ['db']}, web: {}}),
  })
  await environment.deploy()
  const content = {
    db: {values: CHANGED},
    api: {requires: ['db'], values: BROKEN},
    web: {values: CHANGED},
    ...extra,
  }
  await environment.write(workloads(content))
  const {exitCode, stderr, stdout} = await environment.kk('deploy', ...args)
  expect(exitCode, stderr).toBe(1)
  return {environment, stderr, stdout}
}

interface Failed {
  readonly environment: TestEnvironment
  readonly stderr: string
  readonly stdout: string
}

async function rollbacks({helmCalls}: TestEnvironment): Promise<string[]> {
  const calls = (await helmCalls()).filter((call) => call.startsWith('rollback '))
  return calls.map((call) => call.replace(/^rollback .* -- /, ''))
}

describe.concurrent('after the failure of a release', () => {
  atNight(() => {
    it('deployed releases are kept by default', async () => {
      const {environment} = await failing([])

      expect(await rollbacks(environment)).toEqual([])
      expect(await revisions(environment.name)).toEqual({db: 2, api: 2, web: 2})
    })

    it('--on-failure rollback-failed rolls back only that release', async () => {
      const {environment, stderr} = await failing(['--on-failure', 'rollback-failed'])

      expect(await rollbacks(environment)).toEqual(['api 1'])
      expect(await revisions(environment.name)).toEqual({db: 2, api: 3, web: 2})
      expect(stderr).toMatch(/done in .*: 1 rolled back/)
    })

    it('--on-failure rollback-run rolls back all releases of the run, dependents first', async () => {
      const {environment, stdout} = await failing(['--on-failure', 'rollback-run', '--output', 'json'])

      const calls = await rollbacks(environment)
      expect(calls.toSorted()).toEqual(['api 1', 'db 1', 'web 1'])
      expect(calls.indexOf('api 1')).toBeLessThan(calls.indexOf('db 1'))
      const document = JSON.parse(stdout) as {rollback: {releases: {state: string}[]}; removal?: object}
      expect(document.rollback.releases.map(({state}) => state)).toEqual([
        'succeeded',
        'succeeded',
        'succeeded',
      ])
      expect(document.removal).toBeUndefined()
      const {runs} = await environment.json<{
        runs: {verb: string; outcome: string; of?: string; id: string}[]
      }>('history')
      expect(runs.slice(0, 2).map(({verb, outcome, of}) => [verb, outcome, of])).toEqual([
        ['rollback', 'succeeded', runs[1]!.id],
        ['deploy', 'failed', undefined],
      ])
    })

    it('newly installed releases stay, and are named', async () => {
      const extra = {extra: {}}

      const {environment, stderr} = await failing(['--on-failure', 'rollback-run'], extra)

      expect(stderr).toContain('note: extra stays: the run installed it')
      expect(await revisions(environment.name)).toEqual({db: 3, api: 3, web: 3, extra: 1})
    })
  })

  it('--on-failure rollback-run --remove-new rolls back all releases of the run, dependents first, and removes new ones, with a report per run', async () => {
    const {environment, stdout, stderr} = await failing(
      ['--on-failure', 'rollback-run', '--remove-new', '--output', 'json', '--report', 'json=kk.json'],
      {extra: {}},
    )

    expect(await revisions(environment.name)).toEqual({db: 3, api: 3, web: 3})
    const calls = await rollbacks(environment)
    expect(calls.toSorted()).toEqual(['api 1', 'db 1', 'web 1'])
    expect(calls.indexOf('api 1')).toBeLessThan(calls.indexOf('db 1'))
    type Ended = {readonly releases: readonly {readonly release: string; readonly state: string}[]}
    const {rollback, removal} = JSON.parse(stdout) as {rollback: Ended; removal: Ended}
    expect(rollback.releases.map(({state}) => state)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(removal.releases).toMatchObject([{release: `${environment.name}/extra`, state: 'succeeded'}])
    const {runs} = await environment.json<{runs: {verb: string; outcome: string; of?: string; id: string}[]}>(
      'history',
    )
    expect(runs.slice(0, 3).map(({verb, outcome}) => [verb, outcome])).toEqual([
      ['remove', 'succeeded'],
      ['rollback', 'succeeded'],
      ['deploy', 'failed'],
    ])
    expect(runs[1]!.of).toBe(runs[2]!.id)
    expect(stderr).toContain('reports of the rollback: kk.rollback.json\n')
    const files = ['kk.json', 'kk.rollback.json', 'kk.removal.json']
    const texts = await Promise.all(files.map((file) => readFile(join(environment.directory, file), 'utf8')))
    expect(texts.map((text) => JSON.parse(text).outcome)).toEqual(['failed', 'succeeded', 'succeeded'])
    const resumed = await environment.kk('resume')
    expect(resumed.exitCode, resumed.stderr).toBe(0)
    expect(resumed.stderr).toMatch(/^nothing to resume: .*\(kk remove\), succeeded$/m)
    expect(resumed.stderr).toContain(`to start that again: kk deploy ${environment.file}`)
  })

  atNight(() => {
    it('--remove-new keeps releases whose data would be lost, and a rollback keeps claims that its revision lacks', async () => {
      const {environment, stderr} = await failing(['--on-failure', 'rollback-run', '--remove-new'], {
        web: {values: {...CHANGED, claim: 'general'}},
        extra: {values: {claim: 'general'}},
      })

      expect(stderr).toContain('extra: extra would be deleted with its data, and not removed')
      expect(await revisions(environment.name)).toEqual({db: 3, api: 3, web: 3, extra: 1})
      const claims = await kubectl(['get', 'pvc', '--namespace', environment.name, '--output', 'name'])
      expect(claims.trim().split('\n')).toEqual(['persistentvolumeclaim/extra', 'persistentvolumeclaim/web'])
    })
  })

  it('--remove-new without a rollback is a usage error', async () => {
    const environment = await makeEnvironment({content: workloads({db: {}})})

    const {exitCode, stderr} = await environment.kk('deploy', '--remove-new')

    expect(exitCode).toBe(2)
    expect(stderr).toContain('error KK_USAGE: --remove-new requires a rollback')
    expect(stderr).toContain('hint: add --on-failure rollback-run')
    expect(await revisions(environment.name)).toEqual({})
  })

  atNight(() => {
    it('a migration prevents the rollback, and the original failure is reported', async () => {
      const migration = {replicas: 2, job: {version: 2, migration: true, pod: {fail: 'JobFailed'}}}

      const {environment, stderr} = await failing(['--on-failure', 'rollback-run'], {
        api: {requires: ['db'], values: migration},
      })

      expect(stderr).toContain('KK_UNHEALTHY')
      expect(stderr).toMatch(/KK_MIGRATION.*api-job-2/)
      expect(await rollbacks(environment)).toEqual([])
    })
  })
})
