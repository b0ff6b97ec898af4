import {cp, mkdir, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, beforeEach, describe, expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import {isInferred} from '../../../src/graph/graph.ts'
import type {Helm} from '../../../src/helm/helm.ts'
import {openHelm} from '../../../src/helm/open.ts'
import {helmVersion} from '../../../src/helm/version.ts'
import type {ClusterIdentity} from '../../../src/kubernetes/api/identity.ts'
import {type Prepared, prepare} from '../../../src/prepare/prepare.ts'
import {releaseName} from '../../../src/release.ts'
import {indexCharts} from '../../../src/verbs/charts/index-charts.ts'
import {countOpened} from '../../support/count-opened.ts'
import {HELMS} from '../../support/helms.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {toolPath} from '../../support/tools.ts'
import {env, workload} from './manifests/manifests.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CHARTS = join(ROOT, 'test/fixtures/unannotated')
const ALL = ['cache', 'dashboard', 'keystone', 'libvirt', 'mariadb', 'neutron', 'nova', 'operator']

describe.each(HELMS)('requirements inferred with %s', (name) => {
  let helm: Helm
  let cache: string
  let rendered: string[]
  let served: readonly string[]
  let identity: (() => Promise<ClusterIdentity>) | undefined

  beforeAll(async () => {
    const path = await toolPath(name)
    helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
  }, 600_000)
  beforeEach(async () => {
    cache = testDirectory()
    rendered = []
    served = []
    identity = undefined
  })

  const rendering = () => ({
    cache,
    served: async () => served,
    ...(identity && {identity}),
    helm: async () => ({
      template: async (...words: Parameters<Helm['template']>) => {
        rendered.push(words[0].name)
        return helm.template(...words)
      },
    }),
  })
  const prepared = async (
    kk: object,
    sections: readonly string[] = ALL,
    values: Readonly<Record<string, object>> = {},
  ): Promise<Prepared> =>
    prepare({
      environment: readEnvironment({
        file: 'cloud.yaml',
        directory: ROOT,
        text: JSON.stringify({
          kk: {charts: [CHARTS], ...kk},
          ...Object.fromEntries(sections.map((section) => [section, values[section] ?? {}])),
        }),
      }),
      finding: {
        builtIn: async () => join(ROOT, 'charts'),
        cache,
        packages: {} as never,
        read: {charts: new Map(), libraries: new Map()},
      },
      values: [],
      sets: [],
      inference: rendering(),
    })
  const lines = ({graph}: Prepared) =>
    graph.releases.flatMap((release) =>
      graph.requirements.get(release)!.map((edge) => {
        const marks = `${edge.soft ? ' soft' : ''}${isInferred(edge) ? '' : ' stated'}`
        return `${releaseName(edge.from)} -> ${releaseName(edge.to)} ${edge.kind}${marks}`
      }),
    )

  describe('of charts that ask for the version of Kubernetes', () => {
    /** A chart for no Kubernetes that there is, whose object is named after the version that it is rendered for. */
    const versioned = async () => {
      const chart = join(cache, 'charts/versioned')
      await mkdir(join(chart, 'templates'), {recursive: true})
      const constraint = 'kubeVersion: ">=9.0.0-0"'
      await writeFile(
        join(chart, 'Chart.yaml'),
        `apiVersion: v2\nname: versioned\nversion: 0.1.0\n${constraint}\n`,
      )
      const name = '{{ .Capabilities.KubeVersion.Version | replace "." "-" }}'
      await writeFile(
        join(chart, 'templates/map.yaml'),
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "${name}"}\n`,
      )
      return join(cache, 'charts')
    }
    const madeBy = ({foreknown}: Prepared) =>
      foreknown!.get('openstack/versioned')!.facts.provided.objects.map((object) => object.name)

    it('are of the version of the cluster, or of one that is named, whatever the constraint of the chart', async () => {
      const charts = [await versioned()]

      const without = await prepared({charts}, ['versioned'])
      identity = async () => ({uid: 'a', version: 'v1.33.7'})
      const on = await prepared({charts}, ['versioned'])
      identity = undefined
      const again = await prepared({charts}, ['versioned'])

      expect([without, on, again].map(madeBy)).toEqual([['v1-36-0'], ['v1-33-7'], ['v1-36-0']])
      expect(without.inferenceNotes).toEqual([
        'no cluster is asked, so charts that ask for the version of Kubernetes are rendered for v1.36.0: versioned',
      ])
      expect(on.inferenceNotes).toEqual([])
      expect(on.identity).toEqual({uid: 'a', version: 'v1.33.7'})
      expect(rendered).toEqual(['versioned', 'versioned'])
    })

    it('ask the cluster nothing if no chart asks', async () => {
      identity = () => Promise.reject(new Error('nobody is to ask'))

      expect((await prepared({}, ['cache'])).identity).toBeUndefined()
    })
  })

  describe('that no manifest shows', () => {
    const charts = ['test/fixtures/openstack-helm']
    const novaOnly = ['test/fixtures/openstack-helm/nova']

    it('are stated by plugins, and bring what they name, with that evidence', async () => {
      const found = await prepared({charts}, ['nova'])

      expect(lines(found)).toEqual(['nova -> placement ready'])
      expect(found.graph.requirements.get('openstack/nova')).toMatchObject([
        {evidence: [{source: 'inferred', text: expect.stringContaining("kk's plugin of nova states it")}]},
      ])
    })

    it.each([
      ['no chart of the name can be found', {charts: novaOnly}],
      ['the environment says so', {charts, releases: {nova: {without: ['placement']}}}],
      ['nothing is to be inferred', {charts, infer: false}],
    ])('are left out where %s', async (_, kk) => {
      expect(lines(await prepared(kk, ['nova']))).toEqual([])
    })

    it('are those of another environment where that is stated', async () => {
      const releases = {nova: {requires: ['infra/placement']}}

      const found = await prepared({charts, releases}, ['nova'])

      expect(lines(found)).toEqual(['nova -> placement ready stated'])
      expect(found.graph.releases).toEqual(['openstack/nova', 'infra/placement'])
    })
  })

  it('bring releases whose settings are then for something; settings for nothing are refused', async () => {
    const charts = ['test/fixtures/openstack-helm']
    const settings = (name: string) => ({charts, releases: {[name]: {protected: true}}})

    const found = await prepared(settings('placement'), ['nova'])

    expect(found.releases.get('openstack/placement')?.desired.protected).toBe(true)
    await expect(prepared(settings('placment'), ['nova'])).rejects.toMatchObject({
      code: 'KK_ENVIRONMENT',
      exit: 2,
      message: expect.stringMatching(
        /^cloud\.yaml:1:\d+: kk\.releases\.placment is for no release: the file has no section placment, and nothing requires it$/,
      ),
      hint: 'did you mean placement?',
    })
  })

  it('are those of charts that state none, groups and all', async () => {
    const found = await prepared({})

    expect(lines(found)).toEqual([
      'cache -> operator applied',
      'dashboard -> keystone ready',
      'dashboard -> mariadb applied soft',
      'keystone -> mariadb ready',
      'libvirt -> neutron applied',
      'neutron -> keystone ready',
      'neutron -> mariadb ready',
      'neutron -> nova applied',
      'nova -> keystone ready',
      'nova -> libvirt applied',
      'nova -> mariadb ready',
      'nova -> neutron applied',
    ])
    expect(found.inferenceNotes).toEqual([])
  })

  it('render nothing again while nothing changes, and only what does', async () => {
    await prepared({})
    const first = rendered.splice(0)

    await prepared({})
    const again = rendered.splice(0)
    await prepared({releases: {dashboard: {namespace: 'web'}}, given: [`Service/x`]})

    expect(first.toSorted()).toEqual(ALL)
    expect(again).toEqual([])
    expect(rendered).toEqual(['dashboard'])
  })

  it('name the object, its place in it and the file of the chart', async () => {
    const {graph} = await prepared({})

    expect(graph.requirements.get('openstack/keystone')![0]!.evidence[0]).toEqual({
      source: 'inferred',
      file: 'keystone/templates/deployment-api.yaml',
      waiter: 'workload',
      text: expect.stringMatching(
        /^Deployment\/keystone-api init container init, DEPENDENCY_SERVICE openstack:mariadb$/,
      ),
    })
  })

  it('give way to what is stated', async () => {
    const found = await prepared({
      releases: {
        keystone: {requires: ['mariadb:applied']},
        dashboard: {without: ['keystone'], requires: ['operator']},
      },
    })

    expect(lines(found).filter((line) => /^(keystone|dashboard)/.test(line))).toEqual([
      'dashboard -> mariadb applied soft',
      'dashboard -> operator ready stated',
      'keystone -> mariadb applied stated',
    ])
  })

  it('may be taken away and stated anew, which changes their kind', async () => {
    const both = {keystone: {without: ['mariadb'], requires: ['mariadb:applied']}, other: {chart: 'mariadb'}}

    const found = await prepared({releases: both}, ['keystone', 'mariadb', 'other'])

    expect(lines(found)).toEqual(['keystone -> mariadb applied stated'])
  })

  it.each([
    ['for all', {infer: false}],
    ['for each', {releases: Object.fromEntries(ALL.map((each) => [each, {infer: false}]))}],
  ])('are none where they are turned off %s, and nothing is rendered', async (_, kk) => {
    expect(lines(await prepared(kk))).toEqual([])
    expect(rendered).toEqual([])
  })

  describe('of a chart that waits for a Service of the namespace infra', () => {
    const chart = async (annotations: object, kubeVersion = '') => {
      const directory = join(cache, 'charts/app')
      await mkdir(join(directory, 'templates'), {recursive: true})
      const manifest = {apiVersion: 'v2', name: 'app', version: '1.0.0', annotations, kubeVersion}
      await writeFile(join(directory, 'Chart.yaml'), JSON.stringify(manifest))
      await writeFile(
        join(directory, 'templates/app.yaml'),
        workload({init: env({DEPENDENCY_SERVICE: 'infra:mariadb'})}),
      )
      return {charts: [join(cache, 'charts')]}
    }

    it('are missed, unless a release there is required', async () => {
      const kk = await chart({})

      const alone = await prepared(kk, ['app'])
      const served = await prepared({...kk, releases: {app: {requires: ['infra/mariadb']}}}, ['app'])

      expect(alone.inferenceNotes).toEqual([
        expect.stringMatching(/^no release makes infra\/Service\/mariadb, which app needs/),
      ])
      expect(served.inferenceNotes).toEqual([])
    })

    it('are inferred, too, where the chart needs the Kubernetes of a sandbox', async () => {
      const {inferenceNotes} = await prepared(await chart({}, '>= 1.36.0-0'), ['app'])

      expect(inferenceNotes).toHaveLength(1)
    })

    it('are not looked for where the chart speaks for itself, unless they are to be', async () => {
      const kk = await chart({'kk.openstack.org/requires': ''})

      const silent = await prepared(kk, ['app'])
      const asked = await prepared({...kk, releases: {app: {infer: true}}}, ['app'])

      expect(silent.inferenceNotes).toEqual([])
      expect(asked.inferenceNotes).toHaveLength(1)
    })
  })

  it('bring in what provides them, from a directory that was indexed', async () => {
    await indexCharts({directory: CHARTS, rendering: rendering()})

    const found = await prepared({}, ['dashboard'])

    expect(found.graph.releases.map(releaseName)).toEqual(['dashboard', 'keystone', 'mariadb'])
  })

  it('are read once, with the feature files, whatever the number of rounds', async () => {
    const charts = join(cache, 'charts')
    await cp(CHARTS, charts, {recursive: true})
    await mkdir(join(charts, 'dashboard/values_overrides'))
    await writeFile(join(charts, 'dashboard/values_overrides/noble.yaml'), 'a: 1\n')
    await indexCharts({directory: charts, rendering: rendering()})
    const kk = {charts: [charts], features: ['noble']}
    const all = ['dashboard', 'keystone', 'mariadb']
    await prepared(kk, all)
    const files = countOpened(cache)
    const read = () => files.filter((file) => /noble\.yaml|\/facts\//.test(file)).sort()

    await prepared(kk, all)
    const inOneRound = read()
    const found = await prepared(kk, ['dashboard'])

    expect(found.graph.releases.map(releaseName)).toEqual(all)
    expect(inOneRound.length).toBeGreaterThan(3)
    expect(read()).toEqual([...inOneRound, ...inOneRound].sort())
  })

  it('bring in nothing that was indexed and is not there any more, and say so', async () => {
    const charts = join(cache, 'charts')
    for (const name of ['dashboard', 'keystone'])
      await cp(join(CHARTS, name), join(charts, name), {recursive: true})
    await indexCharts({directory: charts, rendering: rendering()})
    await rm(join(charts, 'keystone'), {recursive: true})

    const found = await prepared({charts: [charts]}, ['dashboard'])

    expect(found.graph.releases.map(releaseName)).toEqual(['dashboard'])
    expect(found.inferenceNotes).toEqual([
      expect.stringContaining('the chart keystone was indexed and is not there any more'),
    ])
  })

  it('are refused where a hook would wait for what nobody makes, unless it is given', async () => {
    await expect(prepared({}, ['keystone'])).rejects.toMatchObject({
      code: 'KK_UNSERVED',
      message: expect.stringContaining(
        'keystone: Job/keystone-db-sync init container init, DEPENDENCY_SERVICE',
      ),
      hint: expect.stringContaining('kk.given: [Service/mariadb]'),
    })

    expect(lines(await prepared({given: ['Service/mariadb']}, ['keystone']))).toEqual([])
  })

  it('are refused, too, where a hook would wait for a custom resource of no known kind', async () => {
    const directory = join(cache, 'charts/app')
    await mkdir(join(directory, 'templates'), {recursive: true})
    await writeFile(
      join(directory, 'Chart.yaml'),
      JSON.stringify({apiVersion: 'v2', name: 'app', version: '1.0.0'}),
    )
    const waited = JSON.stringify([{apiVersion: 'a.org/v1', kind: 'Db', name: 'main'}])
    const init = env({DEPENDENCY_SERVICE: 'nobody', DEPENDENCY_CUSTOM_RESOURCE: waited})
    const annotations = {'helm.sh/hook': 'post-install'}
    await writeFile(join(directory, 'templates/job.yaml'), workload({kind: 'Job', init, annotations}))

    await expect(prepared({charts: [join(cache, 'charts')]}, ['app'])).rejects.toMatchObject({
      code: 'KK_UNSERVED',
      hint: expect.stringContaining('kk.given: [Service/nobody, CustomResourceDefinition/Db.a.org]'),
    })
  })

  it('are noted where anything else would wait', async () => {
    const {inferenceNotes} = await prepared({}, ['libvirt'])

    expect(inferenceNotes).toEqual([
      expect.stringMatching(
        /^no release makes Pod\/application=neutron,component=.*, which libvirt needs: DaemonSet\/libvirt/,
      ),
    ])
  })

  it('are refused where two could be meant, with the line to write', async () => {
    const releases = {'db-one': {chart: 'mariadb'}, 'db-two': {chart: 'mariadb'}}
    const sections = ['keystone', 'db-one', 'db-two']

    await expect(prepared({releases}, sections)).rejects.toMatchObject({
      code: 'KK_AMBIGUOUS',
      message: expect.stringContaining('db-one, db-two have it'),
      hint: 'say which, for example kk.releases.keystone: {requires: [db-one]}',
    })
    const chosen = {...releases, keystone: {requires: ['db-two']}}
    expect(lines(await prepared({releases: chosen}, sections))).toEqual(['keystone -> db-two ready stated'])
  })

  describe('of a chart that fails where the cluster has not its kind', () => {
    const THINGS = `{{- if not (.Capabilities.APIVersions.Has "a.org/v1/Thing") }}{{- fail "no things" }}{{- end }}
apiVersion: a.org/v1
kind: Thing
metadata: {name: one}
`
    const kk = () => ({charts: [join(cache, 'charts')]})
    beforeEach(async () => {
      const directory = join(cache, 'charts/app')
      await mkdir(join(directory, 'templates'), {recursive: true})
      await writeFile(join(directory, 'Chart.yaml'), 'apiVersion: v2\nname: app\nversion: 1.0.0\n')
      await writeFile(join(directory, 'templates/thing.yaml'), THINGS)
    })

    it('are not to be had', async () => {
      await expect(prepared(kk(), ['app'])).rejects.toMatchObject({
        message: expect.stringContaining('no things'),
      })
    })

    it('are known where it has, and the definition is not missed', async () => {
      served = ['a.org/v1', 'a.org/v1/Thing']

      const {inferenceNotes} = await prepared(kk(), ['app'])

      expect(inferenceNotes).toEqual([])
    })

    it('are not looked for again when it comes to have kinds that the chart does not name', async () => {
      served = ['a.org/v1', 'a.org/v1/Thing']
      await prepared(kk(), ['app'])
      rendered = []

      served = [...served, 'b.org/v1', 'b.org/v1/Other']
      await prepared(kk(), ['app'])

      expect(rendered).toEqual([])
    })
  })

  it('are not to be had of a chart that does not render; helm says why', async () => {
    const broken = {keystone: {manifests: null}}

    await expect(prepared({}, ALL, broken)).rejects.toMatchObject({
      code: 'KK_RENDER',
      hint: expect.stringContaining('kk.releases.keystone: {infer: false, requires: […]}'),
    })
  })
})

it('costs nothing where every chart states what it requires', async () => {
  const {graph} = await prepare({
    environment: readEnvironment({
      file: 'cloud.yaml',
      text: JSON.stringify({kk: {charts: ['charts']}, glance: {}, horizon: {}}),
      directory: ROOT,
    }),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
    inference: {
      cache: '/nowhere',
      helm: () => Promise.reject(new Error('helm was started')),
    },
  })

  expect(graph.releases).toHaveLength(6)
})
