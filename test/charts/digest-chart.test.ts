import {appendFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {digestChart, digestCharts} from '../../src/charts/digest-chart.ts'
import {readChart} from '../../src/charts/read-chart.ts'
import {helm} from './support/helm.ts'
import {addFiles, manifest, writeFiles} from './support/write-files.ts'

const LIBRARY = 'dependencies:\n- {name: common, version: 0.x, repository: "file://../common"}\n'

const CHARTS = {
  'keystone/Chart.yaml': manifest('keystone', '0.1.0', LIBRARY),
  'keystone/values.yaml': 'region: one\n',
  'keystone/.helmignore': 'docs/\n',
  'keystone/docs/guide.md': 'a guide',
  'keystone/templates/keystone.yaml': '{{ include "common.chart" . }}',
  'glance/Chart.yaml': manifest('glance', '0.1.0', LIBRARY),
  'memcached/Chart.yaml': manifest('memcached'),
  'common/Chart.yaml': manifest('common', '0.1.0', 'type: library\n'),
  'common/templates/_chart.tpl': '{{ define "common.chart" }}kind: ConfigMap{{ end }}',
}

describe('the digest of a chart', () => {
  let charts: string
  let before: string
  beforeEach(async () => {
    charts = writeFiles(CHARTS)
    before = await digest('keystone')
  })
  const digest = (name: string) => digestChart(readChart(join(charts, name)))

  it('is 64 hexadecimal digits, independent of the location of the chart', async () => {
    const elsewhere = writeFiles(CHARTS)

    expect(before).toMatch(/^[0-9a-f]{64}$/)
    expect(await digestChart(readChart(join(elsewhere, 'keystone')))).toBe(before)
  })

  it.each([
    ['an edit of a template', 'keystone/templates/keystone.yaml', '{{/* new */}}'],
    ['an edit of the values', 'keystone/values.yaml', 'region: two\n'],
    ['a new file', 'keystone/files/new.conf', ''],
    ['an edit of a library', 'common/templates/_chart.tpl', 'kind: Secret'],
  ])('changes with %s', async (_, path, text) => {
    addFiles(charts, {[path]: text})

    expect(await digest('keystone')).not.toBe(before)
  })

  it('changes if a file is renamed or removed', async () => {
    renameSync(join(charts, 'keystone/values.yaml'), join(charts, 'keystone/values2.yaml'))
    const renamed = await digest('keystone')
    rmSync(join(charts, 'keystone/values2.yaml'))
    const removed = await digest('keystone')

    expect(new Set([before, renamed, removed]).size).toBe(3)
  })

  it.each([
    ['what .helmignore names', 'keystone/docs/guide.md'],
    ['an old copy of the library', 'keystone/charts/common/templates/_chart.tpl'],
    ['an old package of the library', 'keystone/charts/common-0.0.1.tgz'],
    ['Chart.lock', 'keystone/Chart.lock'],
    ['the chart beside it', 'glance/values.yaml'],
  ])('does not change with %s', async (_, path) => {
    addFiles(charts, {[path]: 'something else'})

    expect(await digest('keystone')).toBe(before)
  })

  it('does not change with the times of files', async () => {
    utimesSync(join(charts, 'keystone/values.yaml'), 1, 1)

    expect(await digest('keystone')).toBe(before)
  })

  it('does not change if a subchart is packed again', async () => {
    addFiles(charts, {
      'redis/Chart.yaml': manifest('redis'),
      'redis/values.yaml': 'port: 6379\n',
      'app/Chart.yaml': manifest('app', '0.1.0', 'dependencies: [{name: redis, version: 0.1.0}]\n'),
    })
    const packRedis = () =>
      helm('helm4', ['package', join(charts, 'redis'), '--destination', join(charts, 'app/charts')])
    await packRedis()
    const packed = await digest('app')

    utimesSync(join(charts, 'redis/values.yaml'), 1, 1)
    await packRedis()
    const again = await digest('app')
    appendFileSync(join(charts, 'redis/values.yaml'), '# edited\n')
    await packRedis()
    const edited = await digest('app')

    expect(again).toBe(packed)
    expect(edited).not.toBe(packed)
  })

  it('follows links, so that an edit behind one counts', async () => {
    const shared = join(writeFiles({'a.conf': 'a'}), 'a.conf')
    symlinkSync(shared, join(charts, 'keystone/a.conf'))
    const linked = await digest('keystone')

    writeFileSync(shared, 'b')

    expect(await digest('keystone')).not.toBe(linked)
  })

  it('is the same for a single chart and among many', async () => {
    const read = ['keystone', 'glance', 'memcached'].map((name) => readChart(join(charts, name)))

    const digests = await digestCharts(read)

    for (const chart of read)
      expect(digests.get(chart.directory), basename(chart.directory)).toBe(await digestChart(chart))
  })
})
