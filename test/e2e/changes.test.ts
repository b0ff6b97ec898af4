import {appendFile, copyFile, cp, mkdtemp, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, beforeEach, describe, expect, inject, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {
  allInOne,
  CHARTS,
  type EnvironmentContent,
  makeEnvironment,
  type TestEnvironment,
} from './support/environment.ts'
import {revisions} from './support/records.ts'

const SIX = ['mariadb', 'rabbitmq', 'memcached', 'keystone', 'glance', 'horizon']

describe('of the six deployed charts', () => {
  let environment: TestEnvironment
  let charts: string
  let content: EnvironmentContent
  beforeAll(async () => {
    charts = await mkdtemp(join(inject('run').home, 'charts-'))
    await cp(CHARTS, charts, {recursive: true})
    content = await allInOne(charts)
    environment = await makeEnvironment({content})
  })
  beforeEach(() => environment.deploy())

  /** Writes the environment with some of its sections replaced. */
  async function edit(sections: EnvironmentContent): Promise<void> {
    content = {...content, ...sections}
    await environment.write(content)
  }

  /** The releases that a plan would upgrade, each with why. */
  async function planned(): Promise<Record<string, readonly string[]>> {
    const {actions} = await environment.json<PlanDocument>('plan')
    const changes = actions.filter(({kind}) => kind !== 'unchanged' && kind !== 'check')
    expect(changes.map(({kind}) => kind)).toEqual(changes.map(() => 'upgrade'))
    return Object.fromEntries(changes.map(({release, reasons}) => [release.split('/')[1], reasons]))
  }

  /** The releases that have one revision more after the command. */
  async function upgradedBy(verb: string, ...args: readonly string[]): Promise<string[]> {
    const before = await revisions(environment.name)
    const {exitCode, stderr} = await environment.kk(verb, ...args)
    expect(exitCode, stderr).toBe(0)
    const after = await revisions(environment.name)
    expect(Object.keys(after)).toEqual(Object.keys(before))
    return Object.keys(after).filter((name) => after[name] === before[name]! + 1)
  }

  const file = () => environment.file.split('/').at(-1)

  it('an edit in a section upgrades that release only', async () => {
    await edit({keystone: {pod: {replicas: {api: 2}}}})

    expect(await planned()).toEqual({keystone: [`section keystone of ${file()} changed`]})
    expect(await upgradedBy('deploy')).toEqual(['keystone'])
    expect(await planned()).toEqual({})
  })

  it('an edit in the templates of a chart upgrades its release only', async () => {
    await appendFile(join(charts, 'keystone/templates/_keystone.tpl'), '\n{{- /* edited */ -}}\n')

    expect(await planned()).toEqual({keystone: ['chart files changed']})
    expect(await upgradedBy('deploy')).toEqual(['keystone'])
  })

  it('an edit in the library chart upgrades all that are made with it', async () => {
    const template = 'common/templates/_chart.tpl'
    await appendFile(join(charts, template), '\n{{- /* edited */ -}}\n')

    const reasons = await planned()
    await copyFile(join(CHARTS, template), join(charts, template))

    expect(reasons).toEqual(Object.fromEntries(SIX.map((name) => [name, ['chart files changed']])))
  })

  it('an edit in global upgrades all', async () => {
    await edit({global: {...(content.global as object), region: 'RegionTwo'}})

    const reasons = await planned()
    const upgraded = await upgradedBy('deploy')

    expect(Object.keys(reasons).sort()).toEqual([...SIX].sort())
    for (const reason of Object.values(reasons)) expect(reason).toContain(`global of ${file()} changed`)
    expect(upgraded.sort()).toEqual([...SIX].sort())
  })

  it('kk upgrade touches the named one only, whatever else has changed', async () => {
    await edit({
      keystone: {pod: {replicas: {api: 3}}},
      glance: {pod: {replicas: {api: 2}}},
      rabbitmq: {conf: {}},
    })

    expect(await upgradedBy('upgrade', 'keystone')).toEqual(['keystone'])
    expect(Object.keys(await planned()).sort()).toEqual(['glance', 'rabbitmq'])
  })

  it('kk upgrade --set and --values change what they name, and a deploy without them takes it back', async () => {
    const values = join(environment.directory, 'values.yaml')
    await writeFile(values, 'pod: {replicas: {server: 2}}\n')

    const upgraded = await upgradedBy('upgrade', 'horizon', '--values', `horizon=${values}`)
    const again = await upgradedBy(
      'upgrade',
      'horizon',
      '--values',
      `horizon=${values}`,
      '--set',
      'horizon:pod.replicas.server=3',
    )

    expect([upgraded, again]).toEqual([['horizon'], ['horizon']])
    expect(await planned()).toMatchObject({
      horizon: [
        'the --values of the last deploy are not given any more',
        'the --set of the last deploy is not given any more',
      ],
    })
  })
})
