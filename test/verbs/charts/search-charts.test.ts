import {join} from 'node:path'
import {Readable} from 'node:stream'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {directoryDestination} from '../../../src/charts/publishing/destination-directory.ts'
import {registryDestination} from '../../../src/charts/publishing/destination-registry.ts'
import type {ChartSource} from '../../../src/environment/environment.ts'
import {helmPackages} from '../../../src/helm/pull.ts'
import {openDistribution} from '../../../src/images/registry/distribution.ts'
import {planPublish, publish} from '../../../src/verbs/charts/publish-charts.ts'
import {searchCharts} from '../../../src/verbs/charts/search-charts.ts'
import {serveDirectory} from '../../charts/support/web-server.ts'
import {manifest, writeFiles} from '../../charts/support/write-files.ts'
import {pushImage} from '../../images/support/push-image.ts'
import {HELMS} from '../../support/helms.ts'
import {LOGIN, startRegistry} from '../../support/registry.ts'
import {toolPath} from '../../support/tools.ts'

const CHARTS = {
  'one/Chart.yaml': manifest('keystone', '1.0.0', 'appVersion: "2025.1"\ndescription: Identity\n'),
  'two/Chart.yaml': manifest('keystone', '1.10.0-rc.1+build', 'description: Identity\n'),
  'mariadb/Chart.yaml': manifest('mariadb', '2.0.0', 'description: The database\nkeywords: [sql]\n'),
  'library/Chart.yaml': manifest('common', '1.0.0', 'type: library\n'),
}

async function openParts() {
  const home = writeFiles({})
  const env = {HOME: home, PATH: process.env.PATH}
  const packages = helmPackages({path: await toolPath(HELMS[0]!), env, directory: join(home, 'run')})
  const builtIn = async () => writeFiles(CHARTS)
  return {packages, builtIn, registry: (host: string) => openDistribution({host, env})}
}
type Parts = Awaited<ReturnType<typeof openParts>>

async function publishAll(parts: Parts, destination: Parameters<typeof publish>[1]): Promise<void> {
  const directory = await parts.builtIn()
  const charts = ['one', 'two', 'mariadb'].map((folder) => join(directory, folder))
  const finding = {...parts, cache: directory}
  await publish(await planPublish({charts, version: undefined, finding, destination}), destination)
}

async function search(parts: Parts, source: ChartSource, term?: string, allVersions = false) {
  const found = await searchCharts({...parts, sources: [source], term, allVersions})
  return found.map(({name, version}) => `${name} ${version}`)
}

async function expectFound(parts: Parts, source: ChartSource): Promise<void> {
  expect(await search(parts, source)).toEqual(['keystone 1.10.0-rc.1+build', 'mariadb 2.0.0'])
  expect(await search(parts, source, 'SQL')).toEqual(['mariadb 2.0.0'])
  expect(await search(parts, source, 'identity', true)).toEqual([
    'keystone 1.10.0-rc.1+build',
    'keystone 1.0.0',
  ])
  expect(await search(parts, source, 'nothing')).toEqual([])
}

it("charts are found in a directory of charts and among kk's own charts", async () => {
  const parts = await openParts()

  await expectFound(parts, {kind: 'built-in'})
  await expectFound(parts, {kind: 'directory', path: await parts.builtIn()})
})

it('charts are found in a directory of packages and in a repository', async () => {
  const parts = await openParts()
  const path = writeFiles({})
  await using server = await serveDirectory(path)
  await publishAll(parts, directoryDestination({path, url: undefined, now: new Date()}))

  await expectFound(parts, {kind: 'directory', path})
  await expectFound(parts, {kind: 'repository', url: server.url})
})

describe('a registry', () => {
  let registry: Awaited<ReturnType<typeof startRegistry>>
  let parts: Parts
  let url: string
  let places: readonly string[]
  beforeAll(async () => {
    registry = await startRegistry()
    parts = await openParts()
    url = `oci://${registry.host}/kk/charts`
    places = [url, `${url}/deeper`]
    for (const place of places)
      await publishAll(parts, registryDestination({url: place, plain: false, packages: parts.packages}))
    await pushImage(parts.registry(registry.host), ['kk/charts/image', '1.0.0'])
  })
  afterAll(async () => {
    await registry[Symbol.asyncDispose]()
  })

  it('has charts that are found among images, only below the path', async () => {
    await expectFound(parts, {kind: 'oci', url})
  })

  it('without a path lists all of its charts with their location', async () => {
    const source = {kind: 'oci', url: `oci://${registry.host}`} as const
    const found = await searchCharts({...parts, sources: [source], term: 'sql', allVersions: false})

    expect(found.map(({name, from}) => `${name} ${from}`).toSorted()).toEqual(
      places.map((place) => `mariadb ${place}`).toSorted(),
    )
  })

  it('that does not list its charts lists the versions of a named chart', async () => {
    const silent = (host: string) => ({...parts.registry(host), repositories: async () => undefined})
    const source = {kind: 'oci', url} as const

    expect(await search({...parts, registry: silent}, source, 'keystone', true)).toEqual([
      'keystone 1.10.0-rc.1+build',
      'keystone 1.0.0',
    ])
    await expect(search({...parts, registry: silent}, source)).rejects.toMatchObject({
      code: 'KK_CHART',
      message: `the registry of ${url} does not list what it has`,
    })
  })

  it('is trusted only for content that matches its digest', async () => {
    const other = {
      readBlob: async () => Readable.from([Buffer.from('{"name": "other", "version": "1.0.0"}')]),
    }
    const changed = {...parts, registry: (host: string) => ({...parts.registry(host), ...other})}

    await expect(search(changed, {kind: 'oci', url})).rejects.toMatchObject({
      code: 'KK_IMAGE',
      message: expect.stringContaining(`${registry.host} returned 37 bytes of sha256:`),
    })
  })
})

it('a registry without a login is refused with a hint to log in', async () => {
  await using registry = await startRegistry(LOGIN)
  const parts = await openParts()
  const source = {kind: 'oci', url: `oci://${registry.host}/charts`} as const

  await expect(search(parts, source)).rejects.toMatchObject({
    hint: expect.stringContaining(`helm registry login ${registry.host}`),
  })
  await expect(search(parts, source, 'keystone')).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: `the registry ${registry.host} denies access (401)`,
  })
})
