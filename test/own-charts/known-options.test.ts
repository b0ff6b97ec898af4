import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {openOptionLists} from '../../src/prepare/settings/option-lists.ts'
import {optionProblems} from '../../src/prepare/settings/option-problems.ts'
import {SERVICES, useCharts, valuesOf} from './support/charts.ts'

const ROOT = join(import.meta.dirname, '../..')
const LISTED = SERVICES.filter((chart) => existsSync(join(ROOT, `options/2025.1/${chart}.json`)))

/** What kk's charts write although the lists do not have it. */
const UNLISTED: Readonly<Record<string, readonly string[]>> = {
  // Named by `enabled_backends`, which the block writes, too.
  'cinder/cinder': ['rbd'],
  'glance/glance': ['rbd', 'os_glance_staging_store', 'os_glance_tasks_store'],
  'manila/manila': ['cephfs'],
  // An argument of gnocchi-upgrade.
  'gnocchi/gnocchi': ['DEFAULT.sacks_number'],
}

interface WrittenFile {
  readonly format?: string
  readonly path?: string
  readonly name?: string
}

/** A ConfigMap or a Secret. */
interface WithFiles {
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
}

const charts = await useCharts()
const lists = openOptionLists(async () => ROOT)

it.each(LISTED)('every section and option that the chart of %s writes is known', async (chart) => {
  const objects = await charts.render(chart, {values: {storage: {backend: 'ceph'}}})
  const byRelease = await lists(chart)
  const all: Readonly<Record<string, WrittenFile>> = valuesOf(chart).files ?? {}
  const files = Object.entries(all).filter(([, {format = 'oslo'}]) => format === 'oslo')
  const list = byRelease.get('2025.1')!()

  const found = files.flatMap(([key, {path = '', name = path.split('/').at(-1)!}]) => {
    const text = objects.map((object: WithFiles) => (object.data ?? object.stringData)?.[name]).find(Boolean)
    expect(text, name).toContain('[')
    const known = {list, others: new Map(), base: {}, file: {}, templates: ''}
    return Object.entries(iniSections(text!))
      .flatMap(([section, options]) => optionProblems(section, options, known))
      .filter(({isUnknown}) => isUnknown)
      .map((each) => each.path.join('.'))
      .filter((each) => !UNLISTED[`${chart}/${key}`]?.includes(each))
  })

  expect(found).toEqual([])
})

/** Returns the options of an INI file by section. */
function iniSections(text: string): Readonly<Record<string, Values>> {
  const [, ...parts] = text.split(/^\[(.+)\]$/m)
  const sections = parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1]!] as const] : []))
  const options = (body: string) => [...body.matchAll(/^([\w.-]+) = /gm)].map(([, name]) => [name, ''])
  return Object.fromEntries(sections.map(([section, body]) => [section, Object.fromEntries(options(body))]))
}
