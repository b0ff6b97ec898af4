import {chmodSync, cpSync, utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {loadAll} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../../src/base/merge.ts'
import type {Values} from '../../../src/base/values.ts'
import {readPackageFiles} from '../../../src/charts/files/package-files.ts'
import {unpackPackage} from '../../../src/charts/package-cache.ts'
import {packChart} from '../../../src/charts/publishing/pack-chart.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {vendorCharts} from '../../../src/charts/vendor-charts.ts'
import {featureLayers} from '../../../src/overrides/features.ts'
import {packCharts} from '../../../src/verbs/charts/package-charts.ts'
import {GIVEN, nested, SERVICES} from '../../own-charts/support/charts.ts'
import {HELMS, type HelmName} from '../../support/helms.ts'
import {atNight} from '../../support/night.ts'
import {helm} from '../support/helm.ts'
import {addFiles, manifest, writeFiles} from '../support/write-files.ts'

const CHARTS = {
  'keystone/Chart.yaml': manifest(
    'keystone',
    '0.1.0',
    'appVersion: "2025.1"\ndependencies:\n- {name: common, version: ">=0.1.0", repository: "file://../common"}\n',
  ),
  'keystone/.helmignore': '*.md\n',
  'keystone/values.yaml': 'region: one\n',
  'keystone/templates/keystone.yaml': '{{ include "common.chart" . }}\n',
  'common/Chart.yaml': manifest('common', '0.2.0', 'type: library\n'),
  // Longer than a block of gzip.
  'common/templates/_chart.tpl': `{{ define "common.chart" }}
kind: ConfigMap
apiVersion: v1
metadata: {name: {{ .Release.Name }}, labels: {chart: "{{ .Chart.Name }}-{{ .Chart.Version }}"}}
{{ end }}{{/* ${'x'.repeat(100_000)} */}}`,
}

const pack = (charts: string, version?: string) => packChart(readChart(join(charts, 'keystone')), {version})

describe('the package of a chart', () => {
  it('has the same bytes on every machine', async () => {
    const charts = writeFiles(CHARTS)

    const packed = await pack(charts)

    expect(packed).toMatchObject({
      file: 'keystone-0.1.0.tgz',
      digest: '30de12b295f7fd0e58704c4f9e2329f99bfce26cc7482d91ddb0267e049f4674',
    })
  })

  it('has the same bytes whatever times, modes, locks and copies of libraries the chart has', async () => {
    const charts = writeFiles(CHARTS)
    const before = await pack(charts)
    const file = join(charts, 'keystone/values.yaml')
    utimesSync(file, 1, 1)
    chmodSync(file, 0o600)
    cpSync(join(charts, 'common'), join(charts, 'keystone/charts/common-0.1.0.tgz'), {recursive: true})
    addFiles(charts, {'keystone/Chart.lock': 'digest: old', 'keystone/README.md': 'left out'})

    const after = await pack(charts)

    expect(after.digest).toBe(before.digest)
  })

  it.each(['keystone/values.yaml', 'common/templates/_chart.tpl'])(
    'has other bytes after an edit of %s',
    async (path) => {
      const charts = writeFiles(CHARTS)
      const before = await pack(charts)
      addFiles(charts, {[path]: 'region: two\n'})

      expect((await pack(charts)).digest).not.toBe(before.digest)
    },
  )

  it('contains its version, and no path to a library', async () => {
    const {file, bytes} = await pack(writeFiles(CHARTS), '1.2.3-rc.1')

    const files = await readPackageFiles(bytes, file)
    const text = files.find(({path}) => path === 'Chart.yaml')!.bytes.toString()
    expect(file).toBe('keystone-1.2.3-rc.1.tgz')
    expect(loadAll(text)).toEqual([
      {
        apiVersion: 'v2',
        name: 'keystone',
        version: '1.2.3-rc.1',
        appVersion: '2025.1',
        dependencies: [{name: 'common', version: '>=0.1.0'}],
      },
    ])
  })
})

it.each([
  ['values.yaml', 'a: [', 'KK_YAML'],
  ['values.yaml', '- a\n', 'KK_CHART'],
  ['values.schema.json', '{', 'KK_CHART'],
])('a chart whose %s is %j is not packed, because helm would not load it', async (file, text, code) => {
  const charts = writeFiles({...CHARTS, [`keystone/${file}`]: text})

  await expect(pack(charts)).rejects.toMatchObject({code, message: expect.stringContaining(file)})
})

it('a package has the feature files of its chart, where kk reads them', async () => {
  const charts = writeFiles({
    ...CHARTS,
    'keystone/.helmignore': 'values_overrides/\n',
    'keystone/values_overrides/next.yaml': 'region: inside\n',
    'keystone/values_overrides/noble.yaml': 'region: noble\n',
    'values_overrides/keystone/next.yaml': 'region: next\n',
    'values_overrides/glance/next.yaml': 'region: glance\n',
  })
  const {file, bytes} = await pack(charts)
  writeFileSync(join(charts, file), bytes)
  const unpacked = await unpackPackage(join(charts, file), writeFiles({}))

  const layers = await featureLayers({...unpacked, name: 'keystone'}, ['next', 'noble'])

  expect(layers.map(({values}) => values)).toEqual([{region: 'noble'}, {region: 'next'}])
  expect(layers).toEqual(
    await featureLayers(readChart(join(charts, 'keystone')), ['next', 'noble']).then((own) =>
      own.map(({values}) => expect.objectContaining({values})),
    ),
  )
})

const OWN = join(import.meta.dirname, '../../../charts')

describe.each(HELMS)("by %s the package of kk's own chart", (name) => {
  it.each(['keystone'])('%s is read, passes helm lint, and renders what kk renders', (chart) =>
    expectAccepted(name, join(OWN, chart)),
  )

  atNight(() => {
    it.each(SERVICES)('%s is, too', (chart) => expectAccepted(name, join(OWN, chart)))
  })
})

async function expectAccepted(name: HelmName, directory: string): Promise<void> {
  const chart = readChart(directory)
  const [packed] = await packCharts({charts: [directory], version: undefined, finding: UNUSED})
  const path = join(writeFiles({}), packed!.file)
  writeFileSync(path, packed!.bytes)
  const copies = await vendorCharts([chart], writeFiles({}))
  const render = (what: string, values: object = {}) => {
    const given = writeFiles({'values.json': JSON.stringify({...values, global: GIVEN})})
    return helm(name, ['template', 'demo', what, '--values', join(given, 'values.json')])
  }

  const linted = await helm(name, ['lint', path])
  const shown = await helm(name, ['show', 'values', path])
  const page = await helm(name, ['show', 'readme', path])
  const rendered = await render(path)

  expect(linted).toContain('0 chart(s) failed')
  expect(shown).toBe(await helm(name, ['show', 'values', directory]))
  expect(rendered).toBe(await render(copies.get(directory)!))
  expect(rendered, 'with the defaults that the README names').toBe(await render(path, defaultsIn(page)))
}

/** The values of the table in a README. */
function defaultsIn(page: string): Values {
  const rows = [...page.matchAll(/^\| `(?<key>[^`]+)` \| `(?<text>.*)` \|/gm)]
  expect(rows).not.toEqual([])
  return mergeValues(...rows.map(({groups}) => nested(pathOf(groups!.key!), defaultOf(groups!.text!))))
}

/** Returns the path `conf.rabbitmq.vm_memory_high_watermark\.relative`, in the syntax of `--set`. */
function pathOf(key: string): readonly string[] {
  return key.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'))
}

function defaultOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.replaceAll('\\|', '|')
  }
}

const unused = () => {
  throw new Error('the chart is named by its directory')
}
const UNUSED = {
  builtIn: unused,
  cache: '',
  packages: {pull: unused, names: unused, index: unused, push: unused},
}
