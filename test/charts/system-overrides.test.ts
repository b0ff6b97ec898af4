import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readYaml} from '../../src/helm/yaml.ts'
import {mergeValues} from '../../src/overrides/merge.ts'
import {secretPaths} from '../../src/overrides/system/plugin.ts'
import {builtInPlugins} from '../../src/overrides/system/plugins.ts'
import type {Values} from '../../src/release.ts'
import {HELMS} from '../support/helms.ts'
import {nested, SECRETS, SERVICES, useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const plugins = builtInPlugins()
const GOLDEN = join(import.meta.dirname, '../overrides/system/golden')

interface Case {
  readonly facts: object
  readonly overrides: Values & {readonly global?: Values}
}

/** Of a chart without a plugin of its own there is no golden file. */
const cases = SERVICES.flatMap((chart) => {
  const file = join(GOLDEN, `${chart}.yaml`)
  if (!existsSync(file)) return []
  const golden = readYaml(readFileSync(file, 'utf8')) as readonly Case[]
  return golden.map(({overrides: {global = {}, ...values}, facts}) => ({chart, facts, values, global}))
})

describe.each(HELMS)('by %s', (helm) => {
  it.each(cases)('system overrides are accepted by $chart: $facts', async ({chart, values, global}) => {
    const objects = await charts.render(chart, {helm, values, global: mergeValues(SECRETS, global)})

    expect(objects.length).toBeGreaterThan(0)
  })
})

it('system overrides reach the objects: replicas, and Ceph for images', async () => {
  const {values, global} = cases.findLast(({chart}) => chart === 'glance')!

  const objects = await charts.render('glance', {values, global: mergeValues(SECRETS, global)})

  expect(find(objects, 'Deployment', 'glance-api')).toMatchObject({spec: {replicas: 3}})
  expect(JSON.stringify(objects)).toContain('mon_host = 10.0.0.1:6789,10.0.0.2:6789')
})

it.each(SERVICES)(
  'the secrets that the plugin of %s declares are all that the chart wants',
  async (chart) => {
    const paths = secretPaths((await plugins.find(chart))!)
    const all = paths.reduce<Values>((values, path) => mergeValues(values, nested(path, 'marked')), {})
    const {global = {}, ...values} = all as {global?: object}

    const objects = await charts.render(chart, {values, global})

    expect(objects.length).toBeGreaterThan(0)
  },
)
