import {dirname, join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {ChartFinding} from '../../../src/charts/find-chart.ts'
import {directoryDestination} from '../../../src/charts/publishing/destination-directory.ts'
import {registryDestination} from '../../../src/charts/publishing/destination-registry.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {vendorCharts} from '../../../src/charts/vendor-charts.ts'
import {helmPackages} from '../../../src/helm/pull.ts'
import {explainChart} from '../../../src/verbs/charts/explain-chart.ts'
import {packageCharts, packCharts} from '../../../src/verbs/charts/package-charts.ts'
import {planPublish, publish} from '../../../src/verbs/charts/publish-charts.ts'
import {GIVEN, SERVICES} from '../../own-charts/support/charts.ts'
import {HELMS, type HelmName} from '../../support/helms.ts'
import {atNight} from '../../support/night.ts'
import {LOGIN, startRegistry} from '../../support/registry.ts'
import {toolPath} from '../../support/tools.ts'
import {helm, registryLogin} from '../support/helm.ts'
import {serveDirectory} from '../support/web-server.ts'
import {addFiles, manifest, writeFiles} from '../support/write-files.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** The timeout in milliseconds: helm is started five times for each chart. */
const ALL_CHARTS = 300_000

async function finding(name: HelmName, env: Readonly<Record<string, string>> = {}): Promise<ChartFinding> {
  const home = writeFiles({})
  const packages = helmPackages({
    path: await toolPath(name),
    env: {HOME: home, PATH: process.env.PATH, ...env},
    directory: join(home, 'run'),
  })
  return {builtIn: async () => join(ROOT, 'charts'), cache: join(home, 'cache'), packages}
}

/** Expects plain helm to render the published charts as kk renders the local ones. */
async function expectRendered(
  name: HelmName,
  charts: readonly string[],
  published: (chart: string) => readonly string[],
): Promise<void> {
  const home = writeFiles({'values.json': JSON.stringify({global: GIVEN})})
  for (const chart of charts) {
    const directory = join(ROOT, 'charts', chart)
    const copies = await vendorCharts([readChart(directory)], writeFiles({}))
    const render = async (words: readonly string[]) => {
      const all = ['template', chart, ...words, '--values', join(home, 'values.json')]
      const text = await helm(name, all, {HELM_CACHE_HOME: join(home, 'cache'), HELM_CONFIG_HOME: home})
      // Helm 4 also prints what it has pulled to standard output.
      return text.slice(text.indexOf('---'))
    }

    expect(await render(published(chart))).toBe(await render([copies.get(directory)!]))
  }
}

describe.each(HELMS)('by %s', (name) => {
  const fromRegistry = async (charts: readonly string[]) => {
    await using registry = await startRegistry()
    const url = `oci://${registry.host}/kk/charts`
    const find = await finding(name)
    const destination = registryDestination({url, plain: false, packages: find.packages})

    const options = {charts, version: undefined, finding: find, destination}
    await publish(await planPublish(options), destination)

    const again = await planPublish(options)
    expect(new Set(again.map(({state}) => state))).toEqual(new Set(['there']))
    await expectRendered(name, charts, (chart) => [`${url}/${chart}`, '--plain-http'])
    const [chart] = charts as [string]
    const explained = await explainChart({chart: `${url}/${chart}`, environment: undefined, finding: find})
    expect(explained).toMatchObject({chart, version: '0.1.0'})
    const stated = explained.components.find((each) => each.name === 'Chart.yaml')
    expect(stated?.requires.map((each) => each.chart)).toContain('mariadb')
  }
  const fromWebServer = async (charts: readonly string[]) => {
    const path = writeFiles({})
    await using server = await serveDirectory(path)
    const destination = directoryDestination({path, url: undefined, now: new Date()})
    const find = await finding(name)

    await publish(await planPublish({charts, version: undefined, finding: find, destination}), destination)

    await expectRendered(name, charts, (chart) => [chart, '--repo', server.url])
    const [chart] = charts as [string]
    const asked = {environment: undefined, finding: find}
    const local = await explainChart({chart: join(ROOT, 'charts', chart), ...asked})
    for (const place of [server.url, path]) {
      const {components} = await explainChart({chart: `${place}/${chart}`, version: '0.1.0', ...asked})
      expect(components.map((each) => each.name)).toEqual(local.components.map((each) => each.name))
    }
    await expect(
      explainChart({chart: `${server.url}/${chart}`, version: '9.9.9', ...asked}),
    ).rejects.toMatchObject({
      code: 'KK_CHART_NOT_FOUND',
    })
  }

  it('a chart is published into a registry', () => fromRegistry(['keystone']))
  it('a chart is published into a directory of a web server', () => fromWebServer(['memcached']))
  atNight(() => {
    it('all charts are published into a registry', () => fromRegistry(SERVICES), ALL_CHARTS)
    it('all charts are published into a directory of a web server', () => fromWebServer(SERVICES), ALL_CHARTS)
  })

  it.each([
    'charts',
    // That of the chart itself, where helm pushes it to charts/app/app.
    'charts/app',
  ])(
    'a version that exists with other content is refused, and nothing is published, into %s',
    async (folder) => {
      await using registry = await startRegistry()
      const find = await finding(name)
      const source = {kind: 'oci', url: `oci://${registry.host}/${folder}`} as const
      const destination = registryDestination({url: source.url, plain: false, packages: find.packages})
      const charts = writeFiles({
        'app/Chart.yaml': manifest('app', '1.0.0'),
        'other/Chart.yaml': manifest('other', '1.0.0'),
      })
      const plan = (...names: readonly string[]) =>
        planPublish({
          charts: names.map((each) => join(charts, each)),
          version: undefined,
          finding: find,
          destination,
        })
      await publish(await plan('app'), destination)
      addFiles(charts, {'app/values.yaml': 'changed: true\n'})

      await expect(plan('other', 'app')).rejects.toMatchObject({
        code: 'KK_PUBLISHED',
        exit: 3,
        message: `${source.url} has app 1.0.0 already, with other content`,
      })
      const pulled = await find.packages.pull({source, name: 'other', version: '1.0.0'}, writeFiles({}))
      expect(pulled).toBeUndefined()
      const asked = {chart: `${source.url}/app`, environment: undefined, finding: find}
      expect(await explainChart(asked)).toMatchObject({chart: 'app', version: '1.0.0'})
    },
  )

  it('two charts of one name and version are refused, and the same chart twice is one', async () => {
    const find = await finding(name)
    const charts = writeFiles({
      'app/Chart.yaml': manifest('app', '1.0.0'),
      'again/Chart.yaml': manifest('app', '1.0.0'),
      'other/Chart.yaml': manifest('app', '1.0.0'),
      'other/values.yaml': 'other: true\n',
    })
    const pack = (...names: readonly string[]) =>
      packCharts({charts: names.map((each) => join(charts, each)), version: undefined, finding: find})

    await expect(pack('app', 'other')).rejects.toMatchObject({
      code: 'KK_USAGE',
      message: 'two of the charts are app-1.0.0.tgz, with different content',
    })
    expect(await pack('app', 'again')).toHaveLength(1)
  })

  it('an unknown chart is refused with a similar name', async () => {
    const options = {charts: ['keyston'], version: undefined, finding: await finding(name)}

    await expect(packCharts(options)).rejects.toMatchObject({
      code: 'KK_CHART_NOT_FOUND',
      hint: 'did you mean keystone?',
    })
  })

  it('a chart of kk is explained by its name, and by its package', async () => {
    const find = await finding(name)
    const directory = writeFiles({})
    const asked = {environment: undefined, finding: find}
    const [packed] = await packageCharts({charts: ['glance'], version: undefined, finding: find, directory})

    const byName = await explainChart({chart: 'glance', ...asked})
    const byPackage = await explainChart({chart: packed!.path, ...asked})
    const beside = await explainChart({chart: join(directory, 'glance'), ...asked})

    expect(beside.components).toEqual(byName.components)
    expect(byPackage.components).toEqual(byName.components)
    expect(byName.components[0]?.requires.map(({chart, kind}) => [chart, kind])).toEqual([
      ['mariadb', 'ready'],
      ['memcached', 'ready'],
      ['rabbitmq', 'ready'],
      ['keystone', 'ready'],
      ['ceph', 'soft'],
    ])
    for (const chart of ['glance', packed!.path, join(ROOT, 'charts/glance'), join(directory, 'glance')])
      await expect(explainChart({chart, version: '9.9.9', ...asked}), chart).rejects.toMatchObject({
        code: 'KK_CHART_NOT_FOUND',
        message: expect.stringMatching(/(in a version|does not match) 9\.9\.9/),
      })
  })

  it.each([
    ['helm', (file: string) => ({HELM_REGISTRY_CONFIG: file})],
    ['docker', (file: string) => ({DOCKER_CONFIG: dirname(file)})],
  ])('the login of %s is used, and the error without one has the command to log in', async (_, loginIn) => {
    await using registry = await startRegistry(LOGIN)
    const url = `oci://${registry.host}/charts`
    const login = loginIn(registryLogin(registry.host, LOGIN.username, LOGIN.password))
    const plan = async (env: Readonly<Record<string, string>>) => {
      const find = await finding(name, env)
      const destination = registryDestination({url, plain: false, packages: find.packages})
      return {
        destination,
        charts: await planPublish({charts: [chart], version: undefined, finding: find, destination}),
      }
    }
    const chart = writeFiles({'Chart.yaml': manifest('app', '1.0.0')})

    await expect(plan({})).rejects.toMatchObject({
      code: 'KK_CHART',
      hint: `log in with helm registry login ${registry.host}`,
    })
    const {charts, destination} = await plan(login)
    await publish(charts, destination)
    expect((await plan(login)).charts).toMatchObject([{state: 'there'}])
  })
})
