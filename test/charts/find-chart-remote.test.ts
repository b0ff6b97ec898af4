import {createHash} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {beforeAll, describe, expect, it, onTestFinished} from 'vitest'
import {type ChartFinding, chartNames, findChart} from '../../src/charts/find-chart.ts'
import type {ChartSource} from '../../src/environment/environment.ts'
import {helmPackages} from '../../src/helm/pull.ts'
import {HELMS, type HelmName} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'
import {type ChartServer, type ServedPackage, serveRegistry, serveRepository} from './support/chart-server.ts'
import {packageChart, registryLogin} from './support/helm.ts'
import {addFiles, manifest, writeFiles} from './support/write-files.ts'

const LOGIN = {username: 'operator', password: 'pass/word 1'}

type RemoteKind = 'repository' | 'oci'
const KINDS = HELMS.flatMap((name) => [[name, 'repository'] as const, [name, 'oci'] as const])

/** Keystone 1.1.0, 1.2.0 and a candidate of 2.0.0, each with its library inside; memcached. */
const served: ServedPackage[] = []
beforeAll(async () => {
  const directory = testDirectory()
  for (const version of ['1.1.0', '1.2.0', '2.0.0-rc.1']) {
    const chart = join(directory, 'keystone')
    addFiles(chart, {
      'Chart.yaml': manifest(
        'keystone',
        version,
        'dependencies: [{name: common, version: 0.1.0, repository: "file://../common"}]\n',
      ),
      'charts/common/Chart.yaml': manifest('common', '0.1.0', 'type: library\n'),
    })
    served.push({name: 'keystone', version, path: await packageChart(chart, directory)})
  }
  addFiles(directory, {'memcached/Chart.yaml': manifest('memcached')})
  const path = await packageChart(join(directory, 'memcached'), directory)
  served.push({name: 'memcached', version: '0.1.0', path})
})

function serve(kind: RemoteKind, packages: readonly ServedPackage[], options = {}): Promise<ChartServer> {
  return kind === 'oci' ? serveRegistry(packages, options) : serveRepository(packages, options)
}

async function finding(name: HelmName, env: Readonly<Record<string, string>> = {}): Promise<ChartFinding> {
  const home = writeFiles({})
  return {
    builtIn: async () => writeFiles({}),
    cache: join(home, 'cache'),
    packages: helmPackages({
      path: await toolPath(name),
      env: {HOME: home, PATH: process.env.PATH, ...env},
      directory: join(home, 'run'),
    }),
  }
}

describe.each(KINDS)('with %s, a chart from a source of kind %s', (name, kind) => {
  it('is the newest release, unpacked, with its dependencies', async () => {
    await using server = await serve(kind, served)

    const chart = await findChart({name: 'keystone'}, [{kind, url: server.url}], await finding(name))

    expect(chart).toMatchObject({name: 'keystone', version: '1.2.0', origin: server.url, libraries: []})
    expect(readFileSync(join(chart.directory, 'charts/common/Chart.yaml'), 'utf8')).toContain('name: common')
  })

  it('is the newest that fits a constraint, of the release or else of the source', async () => {
    await using server = await serve(kind, served)
    const sources: ChartSource[] = [{kind, url: server.url, version: '~1.1'}]
    const find = await finding(name)

    expect((await findChart({name: 'keystone'}, sources, find)).version).toBe('1.1.0')
    expect((await findChart({name: 'keystone', version: '>1.1'}, sources, find)).version).toBe('1.2.0')
  })

  it('is not fetched again if its version is exact', async () => {
    await using server = await serve(kind, served)
    const sources: ChartSource[] = [{kind, url: server.url}]
    const find = await finding(name)
    const first = await findChart({name: 'keystone', version: '1.1.0'}, sources, find)
    const asked = server.requests.length

    const second = await findChart({name: 'keystone', version: '1.1.0'}, sources, find)

    expect(second).toEqual(first)
    expect(server.requests).toHaveLength(asked)
  })

  it('is not fetched again if it is locked by its digest', async () => {
    await using server = await serve(kind, served)
    const digest = sha256(served[1]!)
    const sources: ChartSource[] = [{kind, url: server.url, version: '^1', digest: `sha256:${digest}`}]
    const find = await finding(name)
    const first = await findChart({name: 'keystone'}, sources, find)
    const asked = server.requests.length

    const second = await findChart({name: 'keystone'}, sources, find)

    expect(first.packageDigest).toBe(digest)
    expect(second).toEqual(first)
    expect(server.requests).toHaveLength(asked)
  })

  it('is refused if it is not the locked one', async () => {
    await using server = await serve(kind, served)
    const locked = sha256(served[0]!)

    const found = findChart(
      {name: 'keystone'},
      [{kind, url: server.url, digest: locked}],
      await finding(name),
    )

    await expect(found).rejects.toMatchObject({
      code: 'KK_CHART',
      message: expect.stringContaining(`expected sha256:${locked}, got sha256:${sha256(served[1]!)}`),
    })
  })

  it.each([
    ['a chart', {name: 'keystone2'}],
    ['a version', {name: 'keystone', version: '9.9.9'}],
    ['a fitting version', {name: 'keystone', version: '^9'}],
  ])('comes from the next source if the first does not have %s', async (_, wanted) => {
    await using server = await serve(kind, served)
    const next = writeFiles({[`${wanted.name}/Chart.yaml`]: manifest(wanted.name, '9.9.9')})
    const sources: ChartSource[] = [
      {kind, url: server.url},
      {kind: 'directory', path: next},
    ]

    const chart = await findChart(wanted, sources, await finding(name))

    expect(chart.directory).toBe(join(next, wanted.name))
  })

  it('requests a login if one is required', async () => {
    await using server = await serve(kind, served, {credentials: LOGIN})

    const found = findChart(
      {name: 'keystone', version: '1.2.0'},
      [{kind, url: server.url}],
      await finding(name),
    )

    await expect(found).rejects.toMatchObject({
      code: 'KK_CHART',
      hint: expect.stringMatching(/^log in with helm re/),
    })
  })

  it('is an error if the source does not answer, even if a later one has the chart', async () => {
    const server = await serve(kind, [])
    await server[Symbol.asyncDispose]()
    const later = writeFiles({'keystone/Chart.yaml': manifest('keystone')})
    const sources: ChartSource[] = [
      {kind, url: server.url, version: '1.2.0'},
      {kind: 'directory', path: later},
    ]

    await expect(findChart({name: 'keystone'}, sources, await finding(name))).rejects.toMatchObject({
      code: 'KK_CHART',
      message: expect.stringMatching(
        /^cannot fetch .* from (http|oci):\/\/127.0.0.1:\d+.*connection refused/,
      ),
    })
  })
})

describe.each(HELMS)('with %s, logins', (name) => {
  it('in the URL of a repository are used and never shown', async () => {
    await using server = await serveRepository(served, {credentials: LOGIN})
    const url = server.url.replace('//', `//${LOGIN.username}:${encodeURIComponent(LOGIN.password)}@`)
    const find = await finding(name)

    const chart = await findChart({name: 'keystone'}, [{kind: 'repository', url}], find)
    const missing = findChart({name: 'keyston'}, [{kind: 'repository', url}], find)

    expect(chart).toMatchObject({version: '1.2.0', origin: server.url})
    await expect(missing).rejects.toMatchObject({
      message: `no source of charts has keyston; looked in ${server.url}`,
      hint: 'did you mean keystone?',
    })
  })

  it('that are invalid are not shown either', async () => {
    await using server = await serveRepository(served, {credentials: LOGIN})
    const url = server.url.replace('//', '//operator:hunter2@')

    const error = await findChart({name: 'keystone'}, [{kind: 'repository', url}], await finding(name)).catch(
      String,
    )

    expect(error).toContain('401')
    expect(error).not.toContain('hunter2')
  })

  it('saved by helm repo add are used', async () => {
    await using server = await serveRepository(served, {credentials: LOGIN})
    const saved = writeFiles({
      'repositories.yaml': JSON.stringify({repositories: [{name: 'mine', url: `${server.url}/`, ...LOGIN}]}),
    })
    const find = await finding(name, {HELM_REPOSITORY_CONFIG: join(saved, 'repositories.yaml')})

    expect((await findChart({name: 'keystone'}, [{kind: 'repository', url: server.url}], find)).version).toBe(
      '1.2.0',
    )
  })

  it('saved by helm registry login are used', async () => {
    await using server = await serveRegistry(served, {credentials: LOGIN})
    const config = registryLogin(new URL(server.url).host, LOGIN.username, LOGIN.password)
    const find = await finding(name, {HELM_REGISTRY_CONFIG: config})

    expect((await findChart({name: 'keystone'}, [{kind: 'oci', url: server.url}], find)).version).toBe(
      '1.2.0',
    )
  })

  it('are not taken from the URL of a registry', async () => {
    const found = findChart(
      {name: 'keystone'},
      [{kind: 'oci', url: 'oci://me:hunter2@127.0.0.1:1/charts'}],
      await finding(name),
    )

    await expect(found).rejects.toMatchObject({
      code: 'KK_CHART',
      message: 'expected oci://127.0.0.1:1/charts without user and password',
      hint: 'log in with helm registry login 127.0.0.1:1',
    })
  })
})

it('the address of a registry may be that of the chart itself', async () => {
  await using server = await serveRegistry(served)
  const sources: ChartSource[] = [{kind: 'oci', url: `${server.url}/keystone`}]

  expect((await findChart({name: 'keystone'}, sources, await finding('helm4'))).version).toBe('1.2.0')
})

it('the index of a repository is fetched once for all its charts', async () => {
  await using server = await serveRepository(served)
  const sources: ChartSource[] = [{kind: 'repository', url: server.url}]
  const find = await finding('helm4')

  await findChart({name: 'keystone'}, sources, find)
  await findChart({name: 'memcached'}, sources, find)

  expect(server.requests.filter((path) => path === '/index.yaml')).toHaveLength(1)
  expect(await chartNames(sources, find)).toEqual(['keystone', 'memcached'])
})

function sha256({path}: ServedPackage): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

it('a registry that accepts the connection but does not answer runs into a timeout', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  const home = writeFiles({})
  const packages = helmPackages({
    path: await toolPath('helm4'),
    env: {HOME: home, PATH: process.env.PATH},
    directory: join(home, 'run'),
    timeoutMilliseconds: 500,
  })
  const url = `oci://127.0.0.1:${(silent.address() as AddressInfo).port}/charts`

  const pulling = packages.pull({source: {kind: 'oci', url}, name: 'keystone'}, join(home, 'into'))

  await expect(pulling).rejects.toMatchObject({
    code: 'KK_CHART',
    message: `cannot fetch the chart keystone from ${url}: timed out after 0.5 s; helm was terminated`,
  })
})
