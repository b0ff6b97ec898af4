import {cpSync, globSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readChart} from '../../src/charts/read-chart.ts'
import {vendorCharts} from '../../src/charts/vendor-charts.ts'
import {HELMS, type HelmName} from '../support/helms.ts'
import {helm} from './support/helm.ts'
import {addFiles, manifest, writeFiles} from './support/write-files.ts'

const COMMON = `dependencies:
- {name: common, version: ">= 0.1.0", repository: "file://../common", import-values: [{child: defaults, parent: base}]}
`

/** All cases that could differ: imported defaults, a library of a library, rules of each, globs, an alias. */
const CHARTS = {
  'keystone/Chart.yaml': manifest('keystone', '0.1.0', COMMON),
  'keystone/values.yaml': 'region: one\n',
  'keystone/.helmignore': '*.md\n_*.tpl\n/charts/*.bak\n',
  'keystone/README.md': 'left out',
  'keystone/files/a.conf': 'a',
  'keystone/templates/keystone.yaml': '{{ include "common.chart" . }}\n',
  'common/Chart.yaml': manifest(
    'common',
    '0.2.0',
    'type: library\ndependencies:\n- {name: base, version: 1.x, repository: "file://../base", alias: ground}\n',
  ),
  'common/values.yaml': 'defaults: {replicas: 3}\n',
  'common/.helmignore': '*.tmp\n',
  'common/notes.tmp': 'left out',
  'common/notes.md': 'kept',
  'common/templates/_chart.tpl': `{{ define "common.chart" }}
kind: ConfigMap
apiVersion: v1
metadata: {name: {{ include "base.name" . }}}
data:
  values: {{ omit .Values "common" | toJson | quote }}
  files: {{ range $path, $_ := .Files.Glob "**" }}{{ $path }} {{ end }}
  library: {{ range $path, $_ := .Subcharts.common.Files.Glob "**" }}{{ $path }} {{ end }}
{{ end }}`,
  'base/Chart.yaml': manifest('base', '1.4.2', 'type: library\n'),
  'base/templates/_name.tpl': '{{ define "base.name" }}{{ .Release.Name }}{{ end }}',
}

/** Returns the charts as each helm itself builds them, from the bottom up, in a copy. */
async function renderByHand(charts: string, name: HelmName): Promise<string> {
  const copy = writeFiles({})
  cpSync(charts, copy, {recursive: true})
  for (const chart of ['common', 'keystone']) await helm(name, ['dependency', 'build', join(copy, chart)])
  return helm(name, ['template', 'demo', join(copy, 'keystone')])
}

describe.each(HELMS)('by %s a vendored chart', (name) => {
  it('renders the same as after helm dependency build', async () => {
    const charts = writeFiles(CHARTS)

    const copies = await vendorCharts([readChart(join(charts, 'keystone'))], writeFiles({}))

    const rendered = await helm(name, ['template', 'demo', copies.get(join(charts, 'keystone'))!])
    expect(rendered).toContain('replicas')
    expect(rendered).toBe(await renderByHand(charts, name))
  })

  it('has the present library, whatever copies and locks the chart contains', async () => {
    const charts = writeFiles(CHARTS)
    const old = await renderByHand(charts, name)
    await helm(name, ['dependency', 'build', join(charts, 'common')])
    await helm(name, ['dependency', 'build', join(charts, 'keystone')])
    addFiles(charts, {
      'base/Chart.yaml': manifest('base', '1.5.0', 'type: library\n'),
      'base/templates/_name.tpl': '{{ define "base.name" }}new{{ end }}',
    })

    const copies = await vendorCharts([readChart(join(charts, 'keystone'))], writeFiles({}))

    const rendered = await helm(name, ['template', 'demo', copies.get(join(charts, 'keystone'))!])
    expect(rendered).toBe(old.replace('{name: demo}', '{name: new}'))
  })
})

it('vendoring writes nothing into the directories of the user', async () => {
  const charts = writeFiles(CHARTS)
  const look = () =>
    globSync('**', {cwd: charts}).map((path) => [
      path,
      statSync(join(charts, path)).mtimeMs,
      statSync(join(charts, path)).ino,
    ])
  const before = look()

  await vendorCharts([readChart(join(charts, 'keystone'))], writeFiles({}))

  expect(look()).toEqual(before)
})

it('the copies can only be read by their owner', async () => {
  const charts = writeFiles(CHARTS)
  const directory = join(writeFiles({}), 'run')

  await vendorCharts([readChart(join(charts, 'keystone'))], directory)

  const modes = globSync('**', {cwd: directory}).map((path) => statSync(join(directory, path)).mode & 0o077)
  expect(new Set(modes)).toEqual(new Set([0]))
})

it('two charts of one name from two sources are kept apart, and one chart is copied once', async () => {
  const here = writeFiles({'Chart.yaml': manifest('ingress', '1.0.0')})
  const there = writeFiles({'Chart.yaml': manifest('ingress', '2.0.0')})
  const [first, second] = [readChart(here), readChart(there)]

  const copies = await vendorCharts([first, second, first], writeFiles({}))

  const versions = [...copies.values()].map((copy) => readFileSync(join(copy, 'Chart.yaml'), 'utf8'))
  expect(versions).toEqual([manifest('ingress', '1.0.0'), manifest('ingress', '2.0.0')])
})
