import {existsSync} from 'node:fs'
import {rm} from 'node:fs/promises'
import {join, relative} from 'node:path'
import {expect, inject, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {openDistribution} from '../../src/images/registry/distribution.ts'
import {CHARTS, FIXTURES, makeEnvironment} from '../e2e/support/environment.ts'
import {kk, kkEnvironment} from '../e2e/support/kk.ts'
import {plainHelm} from '../e2e/support/plain-helm.ts'
import {openTerminal} from '../e2e/support/terminal.ts'
import {pushImage} from '../images/support/push-image.ts'
import {startRegistry} from '../support/registry.ts'

interface Mirrored {
  readonly images: readonly {readonly image: string; readonly digest: string; readonly state: string}[]
  readonly charts: readonly {readonly name: string; readonly state: string}[]
  readonly environments: readonly {readonly settings: Values; readonly unplaced: readonly string[]}[]
}

it('a mirror is shown on a terminal and confirmed before anything is copied, and not again if it is complete', async () => {
  await using source = await startRegistry()
  await pushImage(openDistribution({host: source.host, env: {}}), ['apps/workload', '1'], {layers: ['app']})
  const environment = await makeEnvironment()
  await environment.write({
    kk: {charts: [FIXTURES], releases: {app: {chart: 'workload'}}},
    app: {image: `${source.host}/apps/workload:1`},
  })
  const onTerminal = (more = '') =>
    openTerminal(
      `cd ${environment.directory} && ${inject('run').kk} images mirror ${environment.file} --to ./carried ${more}`,
      {columns: 120, rows: 30, env: {...kkEnvironment(), KK_HELM: environment.helm}},
    )
  const asked = onTerminal()
  await asked.shows(/copy this to \.\/carried\? \[y\/N\]/)
  asked.type('n\r')

  const refused = await asked.end()
  const before = existsSync(join(environment.directory, 'carried/index.json'))
  const told = await onTerminal('--yes').end()
  const again = await onTerminal().end()

  expect(refused.exitCode, refused.everything).toBe(3)
  expect(refused.everything).toContain('1 new image')
  expect(before).toBe(false)
  expect(told.exitCode, told.everything).toBe(0)
  expect(again.exitCode, again.everything).toBe(0)
})

it('a site without internet access deploys from a mirror directory', async () => {
  await using site = await startRegistry()
  const source = await startRegistry()
  const store = openDistribution({host: source.host, env: {}})
  const environment = await makeEnvironment()
  const published = await kk(
    ['charts', 'publish', `oci://${source.host}/charts`, join(FIXTURES, 'workload'), '--yes'],
    {env: {KK_HELM: environment.helm}},
  )
  expect(published.exitCode, published.stderr).toBe(0)
  const content: Values = {
    kk: {charts: [`oci://${source.host}/charts`, CHARTS], releases: {app: {chart: 'workload'}}},
    global: {images: {registry: `${source.host}/upstream`, tags: {dep_check: `${source.host}/kk/kk:1`}}},
    app: {image: `${source.host}/apps/workload:1`},
    keystone: {},
  }
  await environment.write(content)
  const json = async (...words: readonly string[]): Promise<Mirrored> => {
    const {exitCode, stdout, stderr} = await kk(['images', 'mirror', ...words, '--output', 'json'], {
      cwd: environment.directory,
      env: {KK_HELM: environment.helm},
    })
    expect(exitCode, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const listed = await kk(['images', 'list', '-e', environment.file, '--output', 'json'], {
    env: {KK_HELM: environment.helm},
  })
  const needed = (JSON.parse(listed.stdout) as Mirrored).images.map(({image}) => image)
  for (const image of needed) {
    const [, repository, tag] = /^[^/]+\/(.+):([^:]+)$/.exec(image)!
    await pushImage(store, [repository!, tag!], {layers: ['shared', image]})
  }

  const planned = await json('-e', environment.file, '--to', './carried', '--dry-run')
  const carried = await json('-e', environment.file, '--to', './carried')
  const again = await json('-e', environment.file, '--to', './carried')
  await source[Symbol.asyncDispose]()
  const placed = await json('--from', 'carried', '--to', `${site.host}/cloud`)
  const {settings} = placed.environments[0]!
  await environment.write(mergeValues(content, settings))
  await rm(join(environment.directory, 'carried'), {recursive: true})
  await environment.deploy()

  expect(planned.images.map(({image}) => image)).toEqual(needed)
  const states = ({images, charts}: Mirrored) => [...new Set([...images, ...charts].map(({state}) => state))]
  expect([planned, carried, again, placed].map(states)).toEqual([['new'], ['new'], ['there'], ['new']])
  expect(placed.images).toMatchObject(carried.images.map(({image, digest}) => ({image, digest})))
  expect(placed.charts.map(({name}) => name).sort()).toEqual([
    'keystone',
    'mariadb',
    'memcached',
    'rabbitmq',
    'workload',
  ])
  expect(settings).toEqual({
    kk: {charts: [`oci://${site.host}/cloud/charts`, relative(environment.directory, CHARTS)]},
    global: {
      images: {registry: `${site.host}/cloud/upstream`, tags: {dep_check: `${site.host}/cloud/kk/kk:1`}},
    },
    app: {image: `${site.host}/cloud/apps/workload:1`},
  })
  const at = openDistribution({host: site.host, env: {}})
  for (const release of ['app', 'keystone', 'mariadb']) {
    const {stdout} = await plainHelm(['get', 'manifest', release, '--namespace', environment.name])
    const images = [...stdout.matchAll(/image: "?([^\s"]+)/g)].map(([, image]) => image!)
    expect(images).not.toEqual([])
    for (const image of images) {
      const [, host, repository, tag] = /^([^/]+)\/(.+):([^:]+)$/.exec(image)!
      expect(host).toBe(site.host)
      expect(await at.digestOf(repository!, tag!), image).toBeDefined()
    }
  }
})
