import {copyFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {type ChartFinding, chartNames, findChart} from '../../src/charts/find-chart.ts'
import type {ChartSource} from '../../src/environment/environment.ts'
import {packageChart} from './support/helm.ts'
import {manifest, writeFiles} from './support/write-files.ts'

/** No network: these sources are directories. */
const PACKAGES = {
  pull: () => Promise.reject(new Error('nothing is to be fetched')),
  names: () => Promise.reject(new Error('nothing is to be fetched')),
  index: () => Promise.reject(new Error('nothing is to be fetched')),
  push: () => Promise.reject(new Error('nothing is to be pushed')),
}

function finding(builtIn = writeFiles({})): ChartFinding {
  return {builtIn: async () => builtIn, cache: writeFiles({}), packages: PACKAGES}
}

function directory(files: Readonly<Record<string, string>>): ChartSource & {kind: 'directory'} {
  return {kind: 'directory', path: writeFiles(files)}
}

const BUILT_IN: ChartSource = {kind: 'built-in'}

describe('a chart is found', () => {
  it('in the first source that has it', async () => {
    const sources = [
      directory({'glance/Chart.yaml': manifest('glance')}),
      directory({'keystone/Chart.yaml': manifest('keystone', '2.0.0')}),
      directory({'keystone/Chart.yaml': manifest('keystone', '3.0.0')}),
    ]

    const chart = await findChart({name: 'keystone'}, sources, finding())

    expect(chart).toMatchObject({version: '2.0.0', directory: join(sources[1]!.path, 'keystone')})
  })

  it('in the first source that has a fitting version', async () => {
    const sources = [
      directory({'keystone/Chart.yaml': manifest('keystone', '2.0.0')}),
      directory({'keystone/Chart.yaml': manifest('keystone', '3.1.0')}),
    ]

    expect((await findChart({name: 'keystone', version: '^3'}, sources, finding())).version).toBe('3.1.0')
  })

  it('if the path of a source is the chart itself', async () => {
    const source = directory({'Chart.yaml': manifest('keystone')})

    expect((await findChart({name: 'keystone'}, [source], finding())).directory).toBe(source.path)
  })

  it('among those that kk carries', async () => {
    const carried = writeFiles({'keystone/Chart.yaml': manifest('keystone', '0.7.0')})

    const chart = await findChart({name: 'keystone'}, [directory({}), BUILT_IN], finding(carried))

    expect(chart.version).toBe('0.7.0')
  })

  it('as the same object again within a command, with shared libraries', async () => {
    const needs = (name: string) =>
      manifest(
        name,
        '1.0.0',
        'dependencies: [{name: common, version: "*", repository: "file://../common"}]\n',
      )
    const source = directory({
      'keystone/Chart.yaml': needs('keystone'),
      'glance/Chart.yaml': needs('glance'),
      'common/Chart.yaml': manifest('common', '1.0.0', 'type: library\n'),
    })
    const look = {...finding(), read: {charts: new Map(), libraries: new Map()}}

    const keystone = await findChart({name: 'keystone'}, [source], look)
    const glance = await findChart({name: 'glance'}, [source], look)

    expect(await findChart({name: 'keystone'}, [source], look)).toBe(keystone)
    expect(glance.libraries[0]).toBe(keystone.libraries[0])
    expect(await findChart({name: 'keystone'}, [source], finding())).toEqual(keystone)
  })

  it('as the newest fitting package in a directory, which is not written to', async () => {
    const source = directory({})
    for (const version of ['1.9.0', '1.10.0', '2.0.0']) {
      const packed = await packageChart(writeFiles({'Chart.yaml': manifest('keystone', version)}))
      copyFileSync(packed, join(source.path, basename(packed)))
    }

    const chart = await findChart({name: 'keystone', version: '1.x'}, [source], finding())

    expect(chart).toMatchObject({
      version: '1.10.0',
      origin: join(source.path, 'keystone-1.10.0.tgz'),
      packageDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(chart.directory).not.toContain(source.path)
  })
})

describe('a chart is not found', () => {
  it('and the error has the sources and a suggestion', async () => {
    const source = directory({'keystone/Chart.yaml': manifest('keystone'), 'notes.txt': ''})

    await expect(findChart({name: 'keystne'}, [source, BUILT_IN], finding())).rejects.toMatchObject({
      code: 'KK_CHART_NOT_FOUND',
      message: `no source of charts has keystne; looked in ${source.path}, kk's own charts`,
      hint: 'did you mean keystone?',
    })
  })

  it('in the requested version', async () => {
    const source = directory({'keystone/Chart.yaml': manifest('keystone', '1.0.0')})

    await expect(findChart({name: 'keystone', version: '^2'}, [source], finding())).rejects.toMatchObject({
      code: 'KK_CHART_NOT_FOUND',
      message: `no source of charts has keystone in a version ^2, but keystone 1.0.0; looked in ${source.path}`,
    })
  })

  it.each([
    ['~1.0', ['1.0.0-rc.1'], /but pre 1\.0\.0-rc\.1, a pre-release/, '">=1.0.0-0"'],
    [
      '*',
      ['1.0.0-rc.2', '1.0.0-rc.1'],
      /but pre 1\.0\.0-rc\.2 and 1 older, all pre-releases/,
      '"1.0.0-rc.2"',
    ],
    ['^2', ['1.1.0', '1.0.0-rc.1'], /but pre 1\.1\.0 and 1 older; looked in/, '"1.1.0"'],
  ] as const)(
    'in a version %s if only %j exist, which the error lists',
    async (version, versions, message, hint) => {
      const source = {kind: 'repository', url: 'https://charts.example.org'} as const
      const index = async () => ({entries: {pre: versions.map((each) => ({version: each}))}})
      const packages = {...PACKAGES, pull: async () => undefined, names: async () => ['pre'], index}

      await expect(
        findChart({name: 'pre', version}, [source], {...finding(), packages}),
      ).rejects.toMatchObject({
        code: 'KK_CHART_NOT_FOUND',
        message: expect.stringMatching(message),
        hint: expect.stringContaining(hint),
      })
    },
  )

  it.each(['../keystone', 'charts/keystone', '..', ''])(
    'under the name %j, which would leave the source',
    async (name) => {
      const source = directory({'keystone/Chart.yaml': manifest('keystone')})

      await expect(findChart({name}, [source], finding())).rejects.toMatchObject({code: 'KK_CHART_NOT_FOUND'})
    },
  )

  it('in a directory that does not exist', async () => {
    const source = {kind: 'directory', path: '/does/not/exist'} as const

    await expect(findChart({name: 'keystone'}, [source], finding())).rejects.toMatchObject({
      code: 'KK_CHART_NOT_FOUND',
      message: expect.stringContaining('/does/not/exist'),
    })
  })
})

it('a library chart cannot be deployed', async () => {
  const source = directory({'common/Chart.yaml': manifest('common', '0.1.0', 'type: library\n')})

  await expect(findChart({name: 'common'}, [source], finding())).rejects.toMatchObject({
    code: 'KK_CHART',
    message: expect.stringContaining('is a library'),
  })
})

it('the names of all charts include those of every source', async () => {
  const carried = writeFiles({'memcached/Chart.yaml': manifest('memcached')})
  const sources = [
    directory({'keystone/Chart.yaml': manifest('keystone'), 'redis-1.2.3.tgz': '', 'README.md': ''}),
    directory({'Chart.yaml': manifest('own')}),
    BUILT_IN,
  ]

  expect(await chartNames(sources, finding(carried))).toEqual(['keystone', 'memcached', 'own', 'redis'])
})
