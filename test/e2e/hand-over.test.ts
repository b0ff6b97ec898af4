import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import type {StatusReport} from '../../src/verbs/observation/release-status.ts'
import {FIXTURES, makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {plainHelm} from './support/plain-helm.ts'
import {helmRecords} from './support/records.ts'

const MARK = 'kk.openstack.org/exported-to'

describe('an environment that is handed over to helmfile', () => {
  let environment: TestEnvironment
  const handOver = (...more: readonly string[]) =>
    environment.kk(
      'export',
      ...['--format', 'helmfile', '--output-dir', join(environment.directory, 'out')],
      ...['--hand-over', ...more],
    )
  const marks = async () =>
    (await helmRecords(environment.name)).map(({name, revision, labels}) => [name, revision, labels[MARK]])
  beforeAll(async () => {
    environment = await makeEnvironment({content: workloads({db: {}, api: {requires: ['db']}})})
    await environment.deploy()
  })

  it('is not handed over by a dry run or without confirmation', async () => {
    const dry = await handOver('--dry-run')
    const unasked = await handOver()

    expect(dry.exitCode, dry.stderr).toBe(0)
    expect(dry.stderr).toContain('plan: 2 to be handed over')
    expect(unasked.exitCode).toBe(3)
    expect(unasked.stderr).toContain('KK_UNCONFIRMED')
    expect(await marks()).toEqual([
      ['api', 1, undefined],
      ['db', 1, undefined],
    ])
  })

  it('has the mark of helmfile on each latest record, and no new revision', async () => {
    const {exitCode, stderr} = await handOver('--yes')

    expect(exitCode, stderr).toBe(0)
    expect(await marks()).toEqual([
      ['api', 1, 'helmfile'],
      ['db', 1, 'helmfile'],
    ])
  })

  it.each([
    ['deploy', []],
    ['upgrade', ['api']],
    ['remove', ['api', '--yes']],
    ['rollback', ['--release', 'api', '--revision', '1', '--yes']],
  ])('is refused by kk %s with the name of helmfile and the command to take it back', async (verb, args) => {
    const {exitCode, stderr} = await environment.kk(verb, ...args)

    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/KK_HANDED_OVER.*handed over to helmfile/)
    expect(stderr).toMatch(/then kk adopt .*api/)
  })

  it('has a status with its manager and the maker of its last revision', async () => {
    const upgraded = await plainHelm([
      ...['upgrade', 'api', join(FIXTURES, 'workload'), '--namespace', environment.name],
      ...['--set', 'replicas=2'],
    ])
    const {stdout} = await environment.kk('status')
    const {stdout: json} = await environment.kk('status', '--output', 'json')

    expect(upgraded.exitCode, upgraded.stderr).toBe(0)
    expect(stdout).toContain(
      'api: handed over to helmfile, until kk adopt api takes it back: another helm made revision 2',
    )
    expect(stdout).toContain(
      'db: handed over to helmfile, until kk adopt db takes it back: its last revision is still of kk',
    )
    const {releases} = JSON.parse(json) as StatusReport
    expect(releases.map(({exportedTo, madeBy}) => ({exportedTo, madeBy}))).toEqual([
      {exportedTo: 'helmfile', madeBy: undefined},
      {exportedTo: 'helmfile', madeBy: 'another helm'},
    ])
  })

  it('is taken back by kk adopt, and the next deploy reverts the changes of helmfile', async () => {
    const adopted = await environment.kk('adopt', 'db', 'api', '--yes')
    const {actions} = await environment.json<PlanDocument>('plan')
    await environment.deploy()

    expect(adopted.exitCode, adopted.stderr).toBe(0)
    expect(adopted.stderr).toContain('handed over to helmfile')
    expect(actions.map(({release, kind}) => [release.split('/')[1], kind])).toEqual([
      ['db', 'check'],
      ['api', 'upgrade'],
    ])
    expect((await marks()).filter(([name, revision]) => name === 'db' || revision === 3)).toEqual([
      ['api', 3, undefined],
      ['db', 1, undefined],
    ])
  })
})
