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
    /**
     * A chart for no Kubernetes that there is, whose object is named after the version that it is rendered
     * for.
     */
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
    const madeBy = ({cachedRenders}: Prepared) =>
      cachedRenders!.get('openstack/versioned')!.facts.provided.objects.map((object) => object.name)

    it('are inferred for the version of the cluster or a specified one, regardless of kubeVersion', async () => {
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

    it('send no request to the cluster if no chart reads the version', async () => {
      identity = () => Promise.reject(new Error('nobody is to ask'))

      expect((await prepared({}, ['cache'])).identity).toBeUndefined()
    })
  })

  describe('that no manifest shows', () => {
    const charts = ['test/fixtures/openstack-helm']
    const novaOnly = ['test/fixtures/openstack-helm/nova']

    it('are stated by plugins, with evidence, and add the named charts', async () => {
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
    ])('are skipped if %s', async (_, kk) => {
      expect(lines(await prepared(kk, ['nova']))).toEqual([])
    })

    it('use a release of another environment if that is stated', async () => {
      const releases = {nova: {requires: ['infra/placement']}}

      const found = await prepared({charts, releases}, ['nova'])

      expect(lines(found)).toEqual(['nova -> placement ready stated'])
      expect(found.graph.releases).toEqual(['openstack/nova', 'infra/placement'])
    })
  })

  it('add releases that settings may refer to; settings without a release are refused', async () => {
    const charts = ['test/fixtures/openstack-helm']
    const settings = (name: string) => ({charts, releases: {[name]: {protected: true}}})

    const found = await prepared(settings('placement'), ['nova'])

    expect(found.releases.get('openstack/placement')?.desired.protected).toBe(true)
    await expect(prepared(settings('placment'), ['nova'])).rejects.toMatchObject({
      code: 'KK_ENVIRONMENT',
      exit: 2,
      message: expect.stringMatching(
        /^cloud\.yaml:1:\d+: kk\.releases\.placment matches no release: the file has no section placment, and nothing requires it$/,
      ),
      hint: 'did you mean placement?',
    })
  })

  it('are inferred for charts that state none, including groups', async () => {
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

  it('render only changed charts again', async () => {
    await prepared({})
    const first = rendered.splice(0)

    await prepared({})
    const again = rendered.splice(0)
    await prepared({releases: {dashboard: {namespace: 'web'}}, given: [`Service/x`]})

    expect(first.toSorted()).toEqual(ALL)
    expect(again).toEqual([])
    expect(rendered).toEqual(['dashboard'])
  })

  it('name the object, the place in it and the file of the chart as evidence', async () => {
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

  it('are replaced by stated requirements', async () => {
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

  it('can be removed and stated again with another kind', async () => {
    const both = {keystone: {without: ['mariadb'], requires: ['mariadb:applied']}, other: {chart: 'mariadb'}}

    const found = await prepared({releases: both}, ['keystone', 'mariadb', 'other'])

    expect(lines(found)).toEqual(['keystone -> mariadb applied stated'])
  })

  it.each([
    ['for all', {infer: false}],
    ['for each', {releases: Object.fromEntries(ALL.map((each) => [each, {infer: false}]))}],
  ])('are not inferred and nothing is rendered if disabled %s', async (_, kk) => {
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

    it('are unserved unless a release in that namespace is required', async () => {
      const kk = await chart({})

      const alone = await prepared(kk, ['app'])
      const served = await prepared({...kk, releases: {app: {requires: ['infra/mariadb']}}}, ['app'])

      expect(alone.inferenceNotes).toEqual([
        expect.stringMatching(/^no release makes infra\/Service\/mariadb, which app needs/),
      ])
      expect(served.inferenceNotes).toEqual([])
    })

    it('are also inferred if the chart needs the Kubernetes version of a sandbox', async () => {
      const {inferenceNotes} = await prepared(await chart({}, '>= 1.36.0-0'), ['app'])

      expect(inferenceNotes).toHaveLength(1)
    })

    it('are not inferred if the chart states requirements, unless infer is set', async () => {
      const kk = await chart({'kk.openstack.org/requires': ''})

      const silent = await prepared(kk, ['app'])
      const asked = await prepared({...kk, releases: {app: {infer: true}}}, ['app'])

      expect(silent.inferenceNotes).toEqual([])
      expect(asked.inferenceNotes).toHaveLength(1)
    })
  })

  it('add their provider from an indexed directory', async () => {
    await indexCharts({directory: CHARTS, rendering: rendering()})

    const found = await prepared({}, ['dashboard'])

    expect(found.graph.releases.map(releaseName)).toEqual(['dashboard', 'keystone', 'mariadb'])
  })

  it('read facts and feature files once for all rounds', async () => {
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

  it('add no chart that was indexed and no longer exists, with a note', async () => {
    const charts = join(cache, 'charts')
    for (const name of ['dashboard', 'keystone'])
      await cp(join(CHARTS, name), join(charts, name), {recursive: true})
    await indexCharts({directory: charts, rendering: rendering()})
    await rm(join(charts, 'keystone'), {recursive: true})

    const found = await prepared({charts: [charts]}, ['dashboard'])

    expect(found.graph.releases.map(releaseName)).toEqual(['dashboard'])
    expect(found.inferenceNotes).toEqual([
      expect.stringContaining('the chart keystone was indexed and is no longer there'),
    ])
  })

  it('are refused if a hook would wait for an object that no release makes, unless kk.given lists it', async () => {
    await expect(prepared({}, ['keystone'])).rejects.toMatchObject({
      code: 'KK_UNSERVED',
      message: expect.stringContaining(
        'keystone: Job/keystone-db-sync init container init, DEPENDENCY_SERVICE',
      ),
      hint: expect.stringContaining('kk.given: [Service/mariadb]'),
    })

    expect(lines(await prepared({given: ['Service/mariadb']}, ['keystone']))).toEqual([])
  })

  it('are refused if a hook would wait for a custom resource of an unknown kind', async () => {
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

  it('are noted if another object would wait for a missing one', async () => {
    const {inferenceNotes} = await prepared({}, ['libvirt'])

    expect(inferenceNotes).toEqual([
      expect.stringMatching(
        /^no release makes Pod\/application=neutron,component=.*, which libvirt needs: DaemonSet\/libvirt/,
      ),
    ])
  })

  it('are refused if two releases match, with the line to write', async () => {
    const releases = {'db-one': {chart: 'mariadb'}, 'db-two': {chart: 'mariadb'}}
    const sections = ['keystone', 'db-one', 'db-two']

    await expect(prepared({releases}, sections)).rejects.toMatchObject({
      code: 'KK_AMBIGUOUS',
      message: expect.stringContaining('db-one, db-two have it'),
      hint: 'specify which, for example kk.releases.keystone: {requires: [db-one]}',
    })
    const chosen = {...releases, keystone: {requires: ['db-two']}}
    expect(lines(await prepared({releases: chosen}, sections))).toEqual(['keystone -> db-two ready stated'])
  })

  describe('of a chart that does not render if the cluster lacks a kind', () => {
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

    it('are unknown without the kind', async () => {
      await expect(prepared(kk(), ['app'])).rejects.toMatchObject({
        message: expect.stringContaining('no things'),
      })
    })

    it('are inferred if the cluster serves the kind', async () => {
      served = ['a.org/v1', 'a.org/v1/Thing']

      const {inferenceNotes} = await prepared(kk(), ['app'])

      expect(inferenceNotes).toEqual([])
    })

    it('are not inferred again when the cluster serves kinds that the chart does not name', async () => {
      served = ['a.org/v1', 'a.org/v1/Thing']
      await prepared(kk(), ['app'])
      rendered = []

      served = [...served, 'b.org/v1', 'b.org/v1/Other']
      await prepared(kk(), ['app'])

      expect(rendered).toEqual([])
    })
  })

  it("fail with helm's error if a chart does not render", async () => {
    const broken = {keystone: {manifests: null}}

    await expect(prepared({}, ALL, broken)).rejects.toMatchObject({
      code: 'KK_RENDER',
      hint: expect.stringContaining('kk.releases.keystone: {infer: false, requires: […]}'),
    })
  })
})

it('inference renders nothing if every chart states its requirements', async () => {
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
