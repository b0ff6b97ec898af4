import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import type {Facts} from '../../../src/overrides/facts/facts.ts'
import {BASIC} from '../../../src/overrides/system/basic.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {systemOverrides} from '../../../src/overrides/system/system-overrides.ts'
import {plugins as table} from '../../../src/overrides/system/table.ts'
import {secretsAmong} from '../../../src/redact/values.ts'
import {readYaml} from '../../../src/yaml/yaml.ts'

interface Case {
  readonly facts: Facts
  /** The namespace; `openstack` by default. */
  readonly namespace?: string
  readonly overrides: object
}

const GOLDEN = join(import.meta.dirname, 'golden')
const plugins = builtInPlugins()

async function overridesOf(chart: string, {facts, namespace = 'openstack'}: Omit<Case, 'overrides'>) {
  const active = [{name: chart, namespaces: [namespace]}]
  return systemOverrides({active, chart, namespace, facts, plugins})
}

function casesOf(chart: string): readonly Case[] {
  return readYaml(readFileSync(join(GOLDEN, `${chart}.yaml`), 'utf8')) as Case[]
}

it('every plugin file has a golden file with facts and overrides', () => {
  const golden = readdirSync(GOLDEN).map((file) => file.replace(/\.yaml$/, ''))

  expect(golden.sort()).toEqual(Object.keys(table).sort())
})

describe.each(Object.keys(table))('%s', (chart) => {
  const cases = casesOf(chart)

  it.each(cases)(
    'generates the golden overrides from $facts in $namespace',
    async ({overrides, ...given}) => {
      expect(await overridesOf(chart, given)).toEqual(overrides)
    },
  )

  it('generates different overrides from other facts', () => {
    const distinct = new Set(cases.map(({overrides}) => JSON.stringify(overrides)))

    expect(distinct.size).toBeGreaterThanOrEqual(2)
  })

  it('generates no value that looks secret, because all are shown', () => {
    for (const {overrides} of cases) expect(secretsAmong(overrides as Values, [])).toEqual([])
  })

  it('reads no fact without influence', async () => {
    const idle: string[] = []
    for (const fact of (await plugins.find(chart))!.reads) {
      const differs = cases.map(async ({overrides, ...given}) => {
        const {[fact]: _, ...facts} = given.facts
        return JSON.stringify(await overridesOf(chart, {...given, facts})) !== JSON.stringify(overrides)
      })
      if (!(await Promise.all(differs)).includes(true)) idle.push(fact)
    }

    expect(idle).toEqual([])
  })
})

const SMALL: Facts = {
  controllers: 1,
  region: 'RegionOne',
  storage: 'ephemeral',
  dnsDomain: 'one.local',
  allInOne: true,
}
const LARGE: Facts = {
  controllers: 3,
  zones: ['a', 'b'],
  region: 'RegionTwo',
  storage: 'class',
  defaultStorageClass: 'fast',
  dnsDomain: 'two.local',
}

describe.each(Object.keys(BASIC))('%s, from the table', (chart) => {
  it('generates different overrides for two clouds, and none without facts', async () => {
    const [none, small, large] = await Promise.all(
      [{}, SMALL, LARGE].map((facts) => overridesOf(chart, {facts})),
    )

    expect(none).toEqual({})
    expect(small).toMatchObject({endpoints: {cluster_domain_suffix: 'one.local'}})
    expect(large).toMatchObject({endpoints: {cluster_domain_suffix: 'two.local'}})
    expect(secretsAmong({small, large}, [])).toEqual([])
  })
})

it.each([
  [1, {pod: {replicas: {server: 1}}}],
  [3, {pod: {replicas: {server: 3}}}],
])(
  'rabbitmq, for which only the number %i of controllers is known, gets exactly its replicas',
  async (controllers, expected) => {
    expect(await overridesOf('rabbitmq', {facts: {controllers}})).toEqual(expected)
  },
)
