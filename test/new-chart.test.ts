import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, describe, expect, it} from 'vitest'
import {catalogueText} from '../scripts/charts/catalogue.ts'
import {wrongNames} from '../scripts/charts/names.ts'
import {type OwnChart, readOwnCharts} from '../scripts/charts/read-charts.ts'
import {readImages} from '../src/images/inventory/read-images.ts'
import {readYaml} from '../src/yaml/yaml.ts'
import {copyWithNewCharts, runCharts} from './support/new-chart.ts'

describe('new charts, one of them from docs/charts.md', async () => {
  const {root, remove} = await copyWithNewCharts()
  afterAll(remove)
  const written = await runCharts(root)

  it('need only their own files and one command, which generates the rest', async () => {
    expect(written.map((line) => line.replace(/: read what it says$/, ''))).toEqual([
      'wrote charts/common/templates/context/_catalogue.tpl',
      'wrote charts/cloudkitty/values.schema.json',
      'wrote charts/example/values.schema.json',
      'wrote src/overrides/system/table.ts',
      'wrote test/overrides/system/golden/example.yaml',
      'wrote docs/charts.md',
      'wrote docs/image-list.md',
      'wrote docs/pods.md',
      'wrote docs/services.md',
    ])
    expect(await runCharts(root)).toEqual([])
  })

  it('are in the catalogue with their endpoints, and no other entry changes', async () => {
    const path = 'charts/common/templates/context/_catalogue.tpl'
    const before = await readFile(path, 'utf8')
    const rating =
      'rating: {hosts: {default: cloudkitty-api}, scheme: {default: http}, port: {api: {default: 8889}}}\n'
    const example =
      'example_v1: {hosts: {default: example-api}, scheme: {default: http}, port: {api: {default: 9999}}, path: {default: /v1}}\n'
    const END = '{{- end -}}\n'
    const [head, ...others] = before.replace(END, '').split(/^(?=\w+: \{)/m)

    expect(await readFile(join(root, path), 'utf8')).toBe(
      [head, ...[...others, rating, example].sort(), END].join(''),
    )
  })

  it('are found by kk, with edges, passwords and images', async () => {
    const sections = ['mariadb', 'memcached', 'rabbitmq', 'keystone', 'example', 'cloudkitty'].map(
      (name) => `${name}: {}\n`,
    )
    await writeFile(join(root, 'cloud.yaml'), `kk: {charts: [charts]}\n${sections.join('')}`)
    const kk = async (...args: readonly string[]) =>
      JSON.parse((await execa(process.execPath, ['bin/kk.ts', ...args], {cwd: root})).stdout)

    const [{releases}, {plugins}, images] = await Promise.all([
      kk('graph', 'cloud.yaml', '--output', 'json'),
      kk('plugins', '--output', 'json'),
      readImages(join(root, 'images')),
    ])

    for (const release of ['openstack/example', 'openstack/cloudkitty'])
      expect(releases).toContainEqual(expect.objectContaining({release, level: 2}))
    expect(plugins).toContainEqual(
      expect.objectContaining({
        chart: 'example',
        secrets: expect.arrayContaining(['oslo_db.example.password']),
      }),
    )
    expect(images.slice(-2)).toMatchObject([
      {name: 'cloudkitty-api', parents: ['openstack-base'], chart: 'cloudkitty'},
      {name: 'example-api', parents: ['openstack-base'], chart: 'example'},
    ])
  })
})

const charts = readOwnCharts()
const placement = charts.find(({name}) => name === 'placement')!
const ENDPOINTS = ['identity', 'placement', 'oslo_db', 'oslo_cache']

/** The chart with other words in its values. */
function changed(from: string, to: string): OwnChart {
  expect(placement.text).toContain(from)
  const text = placement.text.replace(from, to)
  return {...placement, text, values: readYaml(text) as OwnChart['values']}
}

describe('an unknown name in values of a chart is reported with its line, a suggestion and the valid names', () => {
  it('and is not in any chart of kk', () => {
    const served = charts.flatMap(({values}) => Object.keys(values.serves ?? {}))

    expect(charts.flatMap((chart) => wrongNames(chart, served))).toEqual([])
  })

  it.each([
    [
      'wsgi: p',
      'wgsi: p',
      'components.api.wgsi: there is no key wgsi: did you mean wsgi? there are: after, any_port, args, argv,',
    ],
    [
      'registration:',
      'registraton:',
      'registraton: there is no key registraton: did you mean registration? there are:',
    ],
    [
      'middleware: true',
      'midleware: true',
      'files.placement.uses.midleware: there is no block midleware: did you mean middleware? there are: cache,',
    ],
    [
      '{section: ',
      '{sektion: ',
      'files.placement.uses.database.sektion: there is no parameter of the block database sektion: did you mean section? there are: name, section, user',
    ],
    [
      'endpoint: placement',
      'endpoint: placment',
      'components.api.endpoint: there is no endpoint placment: did you mean placement? there are: identity, oslo_cache, oslo_db, placement',
    ],
    [
      'needs: [oslo_db]',
      'needs: [oslo_bd]',
      'jobs.db-sync.needs.0: there is no endpoint oslo_bd: did you mean oslo_db?',
    ],
    [
      'after: [db-create]',
      'after: [db-make]',
      'jobs.db-sync.after.0: there is no job db-make: there are: db-create, db-sync,',
    ],
    [
      'rollout: [api]',
      'rollout: [apii]',
      'jobs.online-data-migrations.rollout.0: there is no component apii: did you mean api? there are: api',
    ],
    [
      'script: placement-test.py',
      'script: test.py',
      'tests.test.script: there is no script test.py: there are: bus, bus-create.py, cleanup.py, cluster, database, db-create.py,',
    ],
    [
      'probe: {path: /}',
      'node: computer',
      'components.api.node: there is no role computer: did you mean compute? there are: compute, control_plane, node, openvswitch',
    ],
    [
      'probe: {path: /}',
      'variables: {A: {uri: identiy.public}}',
      'components.api.variables.A.uri: there is no endpoint identiy: did you mean identity?',
    ],
    [
      'probe: {path: /}',
      'volumes: {v: {secret: keys, path: /k}}',
      'components.api.volumes.v.secret: there is no Secret keys: there are: env, files',
    ],
    ['format: yaml', 'for: apy', 'files.policy.for: there is no component apy: did you mean api?'],
    [
      'conf:\n  placement:',
      'conf:\n  placemnt:',
      'conf.placemnt: there is no file placemnt: did you mean placement? there are: placement, placement_api_uwsgi, policy',
    ],
  ])('such as %s written as %s', (from, to, said) => {
    const [line, ...others] = wrongNames(changed(from, to), ENDPOINTS)

    expect(others).toEqual([])
    expect(line).toMatch(/^charts\/placement\/values\.yaml:\d+:\d+: /)
    expect(line).toContain(said)
  })
})

describe('the catalogue of endpoints', async () => {
  const text = await readFile('charts/common/templates/context/_catalogue.tpl', 'utf8')

  it('is unchanged if no chart adds an endpoint', () => {
    expect(catalogueText(text, charts)).toBe(text)
  })

  it('omits endpoints that no chart serves', () => {
    const others = charts.filter(({name}) => name !== 'placement')

    expect(catalogueText(text, others)).not.toContain('placement')
    expect(catalogueText(text, others)).toContain('dashboard: {')
  })

  it('contains the endpoint as the chart states it', () => {
    const serves = {placement: {port: {api: {default: 8778}}}}
    const stated = charts.map((chart) =>
      chart === placement ? {...chart, values: {...chart.values, serves}} : chart,
    )

    expect(catalogueText(text, stated)).toContain(
      '\nplacement: {hosts: {default: placement-api}, port: {api: {default: 8778}}}\n',
    )
  })

  it('has one chart per endpoint', () => {
    const second = {...placement, name: 'second', values: {...placement.values, serves: {placement: {}}}}

    expect(() => catalogueText(text, [...charts, second])).toThrow(
      'placement and second both serve the endpoint placement',
    )
  })
})
