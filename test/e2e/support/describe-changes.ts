import {appendFile, copyFile, cp, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, beforeEach, expect, it} from 'vitest'
import type {PlanDocument} from '../../../src/report/plan/plan-json.ts'
import {atNight} from '../../support/night.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {CHARTS, type EnvironmentContent, makeEnvironment, type TestEnvironment} from './environment.ts'
import {revisions} from './records.ts'

/** Of what a change is planned and made. */
export interface Family {
  /** The environment with a copy of kk's charts. */
  content(charts: string): EnvironmentContent | Promise<EnvironmentContent>
  /** Those that are made with the library chart. */
  readonly withLibrary: readonly string[]
  readonly all: readonly string[]
  /** One of kk's charts, by its name. */
  readonly edited: string
  /** The section of the edited one with so many replicas. */
  replicas(count: number): object
  /** Another of the releases, and what sets the number of its replicas. */
  readonly set: {readonly release: string; readonly path: string}
  /** Sections that are changed beside the edited one. */
  readonly beside: EnvironmentContent
}

/** What an edit upgrades, and what it leaves. */
export function describeChanges(family: Family): void {
  const {edited} = family
  let environment: TestEnvironment
  let charts: string
  let content: EnvironmentContent
  beforeAll(async () => {
    charts = testDirectory()
    await cp(CHARTS, charts, {recursive: true})
    content = await family.content(charts)
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
    await edit({[edited]: family.replicas(2)})

    expect(await planned()).toEqual({[edited]: [`section ${edited} of ${file()} changed`]})
    expect(await upgradedBy('deploy')).toEqual([edited])
    expect(await planned()).toEqual({})
  })

  it('an edit in the templates of a chart upgrades its release only', async () => {
    await appendFile(join(charts, `${edited}/templates/_${edited}.tpl`), '\n{{- /* edited */ -}}\n')

    expect(await planned()).toEqual({[edited]: ['chart files changed']})
    expect(await upgradedBy('deploy')).toEqual([edited])
  })

  it('an edit in the library chart upgrades all that are made with it', async () => {
    const template = 'common/templates/_chart.tpl'
    await appendFile(join(charts, template), '\n{{- /* edited */ -}}\n')

    const reasons = await planned()
    await copyFile(join(CHARTS, template), join(charts, template))

    expect(reasons).toEqual(
      Object.fromEntries(family.withLibrary.map((name) => [name, ['chart files changed']])),
    )
  })

  atNight(() => {
    it('an edit in global upgrades all', async () => {
      await edit({global: {...(content.global as object), region: 'RegionTwo'}})

      const reasons = await planned()
      const upgraded = await upgradedBy('deploy')

      expect(Object.keys(reasons).sort()).toEqual(family.all.toSorted())
      for (const reason of Object.values(reasons)) expect(reason).toContain(`global of ${file()} changed`)
      expect(upgraded.sort()).toEqual(family.all.toSorted())
    })
  })

  it('kk upgrade touches the named one only, whatever else has changed', async () => {
    await edit({[edited]: family.replicas(3), ...family.beside})

    expect(await upgradedBy('upgrade', edited)).toEqual([edited])
    expect(Object.keys(await planned()).sort()).toEqual(Object.keys(family.beside).sort())
  })

  it('kk upgrade --set and --values change what they name, and a deploy without them takes it back', async () => {
    const {release, path} = family.set
    const values = join(environment.directory, 'values.yaml')
    const nested = path.split('.').reduceRight<unknown>((inner, key) => ({[key]: inner}), 2)
    await writeFile(values, JSON.stringify(nested))

    const upgraded = await upgradedBy('upgrade', release, '--values', `${release}=${values}`)
    const again = await upgradedBy(
      'upgrade',
      release,
      ...['--values', `${release}=${values}`],
      ...['--set', `${release}:${path}=3`],
    )

    expect([upgraded, again]).toEqual([[release], [release]])
    expect(await planned()).toMatchObject({
      [release]: [
        'the --values of the last deploy are no longer given',
        'the --set of the last deploy is no longer given',
      ],
    })
  })
}
