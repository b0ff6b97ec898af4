import {appendFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {namesInDirectory} from '../../src/charts/directory.ts'
import {readChart} from '../../src/charts/read-chart.ts'
import {manifest, writeFiles} from './support/write-files.ts'

const CHARTS = join(import.meta.dirname, '../../charts')

const KEYSTONE = `apiVersion: v2
name: keystone
version: 0.3.1
appVersion: 2025.1
kubeVersion: ">= 1.30"
annotations:
  # kk.openstack.org/requires is read by kk
  kk.openstack.org/requires: "mariadb, memcached, neutron:applied, shared/rabbitmq"
  kk.openstack.org/protected: "true"
`

describe('a chart', () => {
  it('has its metadata', () => {
    const directory = writeFiles({'Chart.yaml': KEYSTONE})

    const chart = readChart(directory)

    expect(chart).toMatchObject({
      name: 'keystone',
      version: '0.3.1',
      appVersion: '2025.1',
      type: 'application',
      kubeVersion: '>= 1.30',
      directory,
      origin: directory,
      protected: true,
      libraries: [],
    })
  })

  it.each([
    ['nothing', '', {annotated: false, sharedInfrastructure: false}],
    ['what it requires', 'kk.openstack.org/requires: ""', {annotated: true, sharedInfrastructure: false}],
    ['that it is protected', 'kk.openstack.org/protected: "false"', {annotated: true}],
    [
      'only that it is shared infrastructure',
      'kk.openstack.org/shared-infrastructure: "true"',
      {annotated: false, sharedInfrastructure: true},
    ],
  ])('with the annotations %s states its own requirements, or not', (_, annotation, expected) => {
    const lines = `annotations: {${annotation}}\n`

    const chart = readChart(writeFiles({'Chart.yaml': manifest('mariadb', '0.1.0', lines)}))

    expect(chart).toMatchObject(expected)
  })

  it('is refused if its Chart.yaml is not UTF-8', () => {
    const directory = writeFiles({'Chart.yaml': KEYSTONE})
    appendFileSync(join(directory, 'Chart.yaml'), Buffer.from('description: caf\xe9\n', 'latin1'))

    expect(() => readChart(directory)).toThrow(/Chart\.yaml:\d+: expected UTF-8 text/)
  })

  it('has its requirements, with file and line as evidence', () => {
    const directory = writeFiles({'Chart.yaml': KEYSTONE})

    const {requires} = readChart(directory)

    expect(requires.map(({namespace, release, kind}) => [namespace, release, kind])).toEqual([
      [undefined, 'mariadb', 'ready'],
      [undefined, 'memcached', 'ready'],
      [undefined, 'neutron', 'applied'],
      ['shared', 'rabbitmq', 'ready'],
    ])
    expect(requires[0]?.position).toEqual({file: join(directory, 'Chart.yaml'), line: 8, column: 3})
    expect(requires[0]?.evidence).toEqual({
      source: 'annotation',
      file: join(directory, 'Chart.yaml'),
      line: 8,
      text: 'kk.openstack.org/requires: "mariadb, memcached, neutron:applied, shared/rabbitmq"',
    })
  })

  it('has no requirements and is not protected by default', () => {
    const chart = readChart(writeFiles({'Chart.yaml': manifest('memcached')}))

    expect(chart).toMatchObject({requires: [], protected: false, appVersion: ''})
  })

  it('may state its requirements over several lines', () => {
    const lines =
      'annotations:\n  kk.openstack.org/requires: |\n    mariadb\n    memcached,\n    neutron:applied\n'

    const {requires} = readChart(writeFiles({'Chart.yaml': manifest('keystone', '0.1.0', lines)}))

    expect(requires.map(({release}) => release)).toEqual(['mariadb', 'memcached', 'neutron'])
  })

  it('accepts an unquoted true as "true", like Helm', () => {
    const lines = 'annotations: {kk.openstack.org/protected: true}\n'

    expect(readChart(writeFiles({'Chart.yaml': manifest('mariadb', '0.1.0', lines)})).protected).toBe(true)
  })
})

it.each([
  ['apiVersion: v2\nversion: 0.1.0\n', 'KK_CHART', /Chart.yaml: expected the name of the chart, found ""/],
  ['apiVersion: v9\nname: x\n', 'KK_CHART', /Chart.yaml: expected apiVersion v1 or v2, found "v9"/],
  [manifest('../x'), 'KK_CHART', /expected the name of the chart, found "..\/x"/],
  [manifest('x', 'latest'), 'KK_CHART', /expected a semantic version, found version: "latest"/],
  [
    manifest('x', '1.0.0', 'type: plugin\n'),
    'KK_CHART',
    /expected type application or library, found "plugin"/,
  ],
  [manifest('x', '1.0.0', 'dependencies: {}\n'), 'KK_CHART', /expected dependencies to be a list/],
  [
    manifest('x', '1.0.0', 'dependencies: [{name: ../y}]\n'),
    'KK_CHART',
    /dependencies\[0\].name, found "..\/y"/,
  ],
  ['- a\n', 'KK_CHART', /Chart.yaml: expected keys with values/],
  ['name: [\n', 'KK_YAML', /Chart.yaml:\d+:\d+/],
  [
    manifest('x', '1.0.0', 'annotations:\n  kk.openstack.org/requires: mariadb ready\n'),
    'KK_CHART',
    /Chart.yaml:5:3: expected a release such as "mariadb", "neutron:applied" or "ceph\?", found "mariadb ready"/,
  ],
  [
    manifest('x', '1.0.0', 'annotations: {kk.openstack.org/requires: "mariadb:soon"}\n'),
    'KK_CHART',
    /Chart.yaml:4:15: expected a release .* found "mariadb:soon"/,
  ],
  [
    manifest('x', '1.0.0', 'annotations:\n  kk.openstack.org/protected: "maybe"\n'),
    'KK_CHART',
    /Chart.yaml:5:3: expected kk.openstack.org\/protected: "true" or "false", found "maybe"/,
  ],
  [
    manifest('x', '1.0.0', 'annotations:\n  kk.openstack.org/require: mariadb\n'),
    'KK_CHART',
    /Chart.yaml:5:3: unknown annotation kk.openstack.org\/require$/,
  ],
])('a Chart.yaml that reads %j is refused', (text, code, message) => {
  const directory = writeFiles({'Chart.yaml': text})

  expect(() => readChart(directory)).toThrow(
    expect.objectContaining({code, message: expect.stringMatching(message)}),
  )
})

it('a directory without Chart.yaml is no chart', () => {
  expect(() => readChart(writeFiles({'values.yaml': ''}))).toThrow(/Chart.yaml: cannot be read \(ENOENT\)/)
})

describe('dependencies', () => {
  const common = (version = '0.1.0', lines = '') => manifest('common', version, `type: library\n${lines}`)
  const needs = (lines: string) => manifest('keystone', '0.1.0', `dependencies:\n${lines}`)
  const FROM_FILE = '- {name: common, version: ">= 0.1.0", repository: "file://../common"}\n'

  it('on a directory become libraries, with their own dependencies', () => {
    const charts = writeFiles({
      'keystone/Chart.yaml': needs(FROM_FILE),
      'common/Chart.yaml': common('0.2.0', 'dependencies:\n- {name: base, repository: "file://../base"}\n'),
      'base/Chart.yaml': manifest('base'),
    })

    const {libraries} = readChart(join(charts, 'keystone'))

    expect(libraries).toEqual([
      {
        name: 'common',
        directory: join(charts, 'common'),
        libraries: [{name: 'base', directory: join(charts, 'base'), libraries: []}],
      },
    ])
  })

  it.each(['charts/common/Chart.yaml', 'charts/common-0.2.0.tgz'])(
    'whose directory is missing come from %s, as in helm',
    (path) => {
      const directory = writeFiles({'Chart.yaml': needs(FROM_FILE), [path]: common('0.2.0')})

      expect(readChart(directory).libraries).toEqual([])
    },
  )

  it('that are also unpacked in charts/ come from there, as in helm', () => {
    const charts = writeFiles({
      'keystone/Chart.yaml': needs(FROM_FILE),
      'keystone/charts/common/Chart.yaml': common('0.2.0'),
      'common/Chart.yaml': common('0.3.0'),
    })

    expect(readChart(join(charts, 'keystone')).libraries).toEqual([])
  })

  it.each(['charts/redis/Chart.yaml', 'charts/redis-1.0.0.tgz'])(
    'that are already in %s stay there',
    (path) => {
      const directory = writeFiles({
        'Chart.yaml': needs('- {name: redis, version: 1.x, repository: "https://charts.example.org"}\n'),
        [path]: manifest('redis', '1.0.0'),
      })

      expect(readChart(directory).libraries).toEqual([])
    },
  )

  it('that are missing are refused with the command that fetches them', () => {
    const directory = writeFiles({
      'Chart.yaml': needs('- {name: redis, repository: "https://charts.example.org"}\n'),
      'charts/redis-exporter-1.0.0.tgz': '',
    })

    expect(() => readChart(directory)).toThrow(
      expect.objectContaining({
        code: 'KK_CHART',
        message: `the chart keystone depends on redis (https://charts.example.org), which is not in ${directory}/charts`,
        hint: `run helm dependency build ${directory}`,
      }),
    )
  })

  it.each([
    ['is missing', {}, /depends on common at file:\/\/..\/common, but .*common holds no chart/],
    [
      'is too old',
      {'common/Chart.yaml': common('0.0.9')},
      /depends on common >= 0.1.0, but .* is common 0.0.9/,
    ],
    ['has another name', {'common/Chart.yaml': manifest('other')}, /depends on common .* is other 0.1.0/],
    [
      'depends on the chart itself',
      {
        'common/Chart.yaml': common(
          '0.1.0',
          'dependencies: [{name: keystone, repository: "file://../keystone"}]\n',
        ),
      },
      /keystone depends on .*common depends on .*keystone: a chart cannot contain itself/,
    ],
  ])('on a library that %s are refused', (_, files, message) => {
    const charts = writeFiles({'keystone/Chart.yaml': needs(FROM_FILE), ...files})

    expect(() => readChart(join(charts, 'keystone'))).toThrow(
      expect.objectContaining({code: 'KK_CHART', message: expect.stringMatching(message)}),
    )
  })

  it('of an unpacked package are inside it, whatever path they had when it was packed', () => {
    const directory = writeFiles({'Chart.yaml': needs(FROM_FILE), 'charts/common/Chart.yaml': common()})

    const chart = readChart(directory, {origin: 'https://charts.example.org', packageDigest: 'ab'.repeat(32)})

    expect(chart.libraries).toEqual([])
  })

  it('of an old chart are read from requirements.yaml', () => {
    const charts = writeFiles({
      'keystone/Chart.yaml': 'apiVersion: v1\nname: keystone\nversion: 0.1.0\n',
      'keystone/requirements.yaml': `dependencies:\n${FROM_FILE}`,
      'common/Chart.yaml': common(),
    })

    expect(readChart(join(charts, 'keystone')).libraries).toMatchObject([{name: 'common'}])
  })
})

it.each(namesInDirectory(CHARTS).filter((name) => name !== 'common'))(
  'the chart %s of kk states its requirements, so that nothing is rendered to infer them',
  (name) => {
    expect(readChart(join(CHARTS, name)).annotated).toBe(true)
  },
)
