import {globSync, readdirSync, readFileSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../../src/base/merge.ts'
import {isMap, type Values} from '../../../src/base/values.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {prepare} from '../../../src/prepare/prepare.ts'
import {settingProblems} from '../../../src/prepare/settings/expect-settings.ts'
import {openOptionLists} from '../../../src/prepare/settings/option-lists.ts'
import {readYaml} from '../../../src/yaml/yaml.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CHARTS = readdirSync(join(ROOT, 'charts'))
const RELEASES: Readonly<Record<string, readonly string[]>> = {'2025.1': [], '2026.1': ['2026.1']}

const read = (file: string) => readYaml(readFileSync(join(ROOT, file), 'utf8'), {file})

/** The errors and warnings about sections with the images of an OpenStack release. */
async function wrongIn(sections: Values, features: readonly string[]): Promise<readonly string[]> {
  const environment = mergeValues(sections, {kk: {name: 'own', charts: ['built-in'], features}})
  const prepared = await prepare({
    environment: readEnvironment({file: 'own.yaml', text: JSON.stringify(environment), directory: ROOT}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
    optionLists: openOptionLists(async () => ROOT),
  })
  const problems = await settingProblems(prepared, {keys: true})
  return problems.filter(({level}) => level !== 'info').map(({release, what}) => `${release}: ${what}`)
}

/** The sections with which each chart's own `conf` would be a user's. */
function ofCharts(files: readonly string[], chart: (file: string) => string): Values {
  const sections = files.map((file) => {
    const {conf} = (read(file) ?? {}) as Values
    return isMap(conf) ? {[chart(file)]: {conf}} : {}
  })
  return mergeValues(...sections)
}

/** The system overrides of all plugins, for one cloud each. */
function systemOverrides(at: number): Values {
  const golden = globSync('test/overrides/system/golden/*.yaml', {cwd: ROOT})
  const sections = golden.map((file) => {
    const cases = read(file) as readonly {readonly overrides: Values}[]
    const {conf} = cases[at]?.overrides ?? {}
    const name = basename(file, '.yaml')
    return isMap(conf) && CHARTS.includes(name) ? {[name]: {conf}} : {}
  })
  return mergeValues(...sections)
}

/** The examples of the pages that set `conf`, as blocks and in lines, for sections of kk's charts. */
function examples(): readonly (readonly [page: string, sections: Values])[] {
  return globSync('docs/*.md', {cwd: ROOT}).flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const blocks = [...text.matchAll(/^```yaml.*\n([\s\S]*?)^```/gm)].map(([, block]) => block!)
    const lines = [...text.matchAll(/`([a-z-]+: \{conf: [^`]*\})`/g)].map(([, line]) => line!)
    return [...blocks, ...lines]
      .filter((each) => each.includes('conf:'))
      .map((each) => readYaml(each.replaceAll('…', ''), {file: page}))
      .filter(isMap)
      .map((each) => Object.fromEntries(Object.entries(each).filter(([key]) => CHARTS.includes(key))))
      .filter((each) => Object.keys(each).length > 0)
      .map((each) => [page, each] as const)
  })
}

/** The sections that a file itself has. */
function withoutIncluded(file: string): Values {
  const {kk, ...sections} = read(file) as {readonly kk: Values}
  const {include: _, ...settings} = kk
  return {kk: settings, ...sections}
}

const SECTIONS: readonly (readonly [string, Values])[] = [
  ...globSync('environments/*.yaml', {cwd: ROOT}).map((file) => [file, withoutIncluded(file)] as const),
  [
    'the defaults of charts',
    ofCharts(globSync('charts/*/values.yaml', {cwd: ROOT}), (file) => basename(dirname(file))),
  ],
  ...[0, 1, 2].map((at) => [`system overrides of cloud ${at}`, systemOverrides(at)] as const),
  ...examples(),
]

describe.each(Object.entries(RELEASES))('in OpenStack %s', (_, features) => {
  it.each(SECTIONS)('kk finds nothing wrong with %s', async (_, sections) => {
    expect(await wrongIn(sections, features)).toEqual([])
  })
})

it('kk finds nothing wrong with the feature kolla', async () => {
  const files = globSync('charts/values_overrides/*/kolla.yaml', {cwd: ROOT})
  const sections = ofCharts(files, (file) => basename(dirname(file)))

  expect(Object.keys(sections)).toContain('ironic')
  expect(await wrongIn(sections, ['kolla'])).toEqual([])
})

it('the walk covers pages, environments and plugins', () => {
  const names = SECTIONS.map(([name]) => name)

  expect(names).toEqual(
    expect.arrayContaining(['environments/cloud.yaml', 'docs/networking.md', 'docs/production-cloud.md']),
  )
  expect(SECTIONS.flatMap(([, sections]) => Object.keys(sections))).toContain('cinder')
})
