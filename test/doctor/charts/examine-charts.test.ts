import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {ChartFault} from '../../../src/doctor/charts/chart-fault.ts'
import {examineCharts} from '../../../src/doctor/charts/examine-charts.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Helm} from '../../../src/helm/helm.ts'
import {openHelm} from '../../../src/helm/open.ts'
import {helmVersion} from '../../../src/helm/version.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {prepare} from '../../../src/prepare/prepare.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import {layersWithSecrets} from '../../../src/verbs/secrets/supply-secrets.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {toolPath} from '../../support/tools.ts'

const ROOT = join(import.meta.dirname, '../../..')

describe('the faults of charts', () => {
  let helm: Helm
  let cache: string
  let faults: readonly ChartFault[]

  beforeAll(async () => {
    const path = await toolPath('helm4')
    helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
    cache = testDirectory()
    faults = await examined('faulty', ['faulty', 'one', 'two'])
  }, 600_000)

  async function examined(
    charts: string,
    sections: readonly string[],
    values: object = {},
    global: object = {},
  ): Promise<readonly ChartFault[]> {
    const environment = readEnvironment({
      file: 'cloud.yaml',
      directory: join(ROOT, 'test/fixtures'),
      text: JSON.stringify({
        kk: {charts: [charts]},
        global,
        ...Object.fromEntries(sections.map((section) => [section, values])),
      }),
    })
    const prepared = await prepare({
      environment,
      finding: {builtIn: async () => join(ROOT, 'charts'), cache, packages: {} as never},
      values: [],
      sets: [],
      inference: {cache, helm: async () => helm, isTolerant: true},
      async supply(releases) {
        const needs = await secretNeeds({environment, releases, plugins: builtInPlugins()})
        return layersWithSecrets(releases, {needs, cluster: new Map(), store: new Map()})
      },
    })
    return (await examineCharts(prepared, {helm})).faults
  }

  it('contain the position in values.yaml that is not YAML, next to those of other charts', async () => {
    const charts = testDirectory()
    for (const [name, values] of [
      ['bad', 'a: 1\npw: *S3cretX\n'],
      ['good', 'a: 1\n'],
    ] as const) {
      await mkdir(join(charts, name))
      await writeFile(join(charts, name, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`)
      await writeFile(join(charts, name, 'values.yaml'), values)
    }

    const found = await examined(charts, ['bad', 'good'])

    const place = join(charts, 'bad', 'values.yaml:2:5')
    const broken = found.filter(({check}) => check === 'rendering')
    expect(broken.map(({release}) => release)).toEqual(['openstack/bad'])
    expect(broken[0]!.what).toMatch(/\(KK_YAML\)$/)
    expect(broken[0]!.what).toContain(place)
    expect(broken[0]!.what).not.toContain('S3cretX')
  })

  it.each([
    [
      'contain a wait for a Service that no release provides',
      'waits',
      'warning',
      'Deployment/faulty',
      'deployment.yaml',
      /elsewhere\/Service\/nothing/,
    ],
    [
      'contain a reference to an object that no release creates',
      'missing objects',
      'warning',
      'Deployment/faulty',
      'deployment.yaml',
      /Secret\/nobodys-secret/,
    ],
    [
      'contain a want that two releases could provide',
      'ambiguous providers',
      'problem',
      'Deployment/faulty',
      'deployment.yaml',
      /one and two have it/,
    ],
    [
      'contain a hook that waits for a later object',
      'deadlocks',
      'problem',
      'Job/faulty-hook',
      'hook.yaml',
      /Secret\/faulty-random/,
    ],
    [
      'contain a random value',
      'random values',
      'warning',
      'Secret/faulty-random',
      'secret.yaml',
      /stringData/,
    ],
    [
      'contain a Job that keeps its name',
      'names of Jobs',
      'warning',
      'Job/faulty-job',
      'job.yaml',
      /keeps its name/,
    ],
    [
      'contain an immutable field',
      'immutable fields',
      'warning',
      'Deployment/faulty',
      'deployment.yaml',
      /^spec\.selector/,
    ],
  ])('%s', (_, check, level, object, file, what) => {
    const found = faults.filter((fault) => fault.check === check && fault.release === 'openstack/faulty')

    expect(found).toEqual([
      {
        check,
        level,
        release: 'openstack/faulty',
        object,
        file: `faulty/templates/${file}`,
        what: expect.stringMatching(what),
        advice: expect.any(String),
      },
    ])
  })

  it('contain an object that two releases create', () => {
    expect(faults.filter(({check}) => check === 'claimed twice')).toMatchObject([
      {level: 'problem', object: 'ConfigMap/shared-config', what: expect.stringContaining('one and two')},
    ])
  })

  it('contain a CRD that no upgrade applies', () => {
    expect(faults.filter(({check}) => check === 'definitions')).toMatchObject([
      {object: 'CustomResourceDefinition/things.faulty.kk.openstack.org', file: 'faulty/crds/things.yaml'},
    ])
  })

  it('contain nothing else', () => {
    expect(faults).toHaveLength(9)
  })

  it('contain no fault for charts without faults, except a note on pods that wait for a later hook', async () => {
    expect(await examined('unannotated', ['keystone', 'mariadb'])).toMatchObject([
      {check: 'deadlocks', level: 'info', what: expect.stringContaining('not with helm --wait')},
    ])
  })

  it('contain no random value that a template keeps by lookup', async () => {
    const found = await examined('faulty', ['keeping'])

    expect(found.map(({check, object}) => `${check} ${object}`)).toEqual(['random values Secret/made-up'])
  })

  it("contain nothing for kk's own charts without the secrets that kk generates", async () => {
    const names = ['mariadb', 'rabbitmq', 'memcached', 'keystone', 'placement']

    const found = await examined('../../charts', names)

    expect(found.filter(({check}) => ['rendering', 'random values', 'accounts'].includes(check))).toEqual([])
  })

  it('contain waits in values that no rendered object has', async () => {
    const values = {dependencies: {static: {extra: {daemonset: ['operator-agent']}}}}

    const found = await examined('unannotated', ['keystone', 'mariadb', 'operator'], values)

    expect(found.filter(({check}) => check === 'values')).toMatchObject([
      {
        release: 'openstack/keystone',
        what: 'the values of keystone specify that extra waits for daemonset operator-agent, but no rendered object waits for operator',
      },
    ])
  })

  it('have each mistake below global once, and the files of conf that no chart writes', async () => {
    const global = {images: {tgas: {}, registry: 1}}
    const conf = {keystnoe: {DEFAULT: {debug: true}}}

    const found = await examined('../../charts', ['keystone', 'glance'], {conf}, global)

    const line = /^cloud\.yaml:1:\d+: /
    const settings = found.filter(({check}) => check === 'settings').map(({what}) => what.replace(line, ''))
    const rendering = found.filter(({check}) => check === 'rendering').map(({what}) => what)
    expect(settings).toEqual([
      'global.images.tgas: no such key: did you mean "tags"?',
      'conf.keystnoe: no such file: did you mean "keystone"?',
      expect.stringMatching(/^conf\.keystnoe: no such file; there are: ceph, ceph_client, glance, /),
    ])
    expect(rendering).toEqual([expect.stringMatching(/global\.images\.registry: got number, want string/)])
  })

  it('begin with a chart that does not render, and still contain those of the other charts', async () => {
    const found = await examined('faulty', ['one', 'two', 'broken'])

    expect(found).toMatchObject([
      {
        check: 'rendering',
        level: 'problem',
        release: 'openstack/broken',
        what: expect.stringContaining('it is broken (KK_RENDER)'),
      },
      {check: 'claimed twice', object: 'ConfigMap/shared-config'},
    ])
  })

  it('contain a custom resource next to its own CRD, unless the chart checks for the kind', async () => {
    const found = await examined('faulty', ['own-kind', 'own-kind-asked'])

    expect(found).toMatchObject([{check: 'missing kinds', level: 'problem', object: 'Widget/widget'}])
  })

  it('contain nothing if a chart does not render without a kind that another chart defines', async () => {
    expect(await examined('faulty', ['kind-asking', 'kind-making'])).toEqual([])
  })
})
