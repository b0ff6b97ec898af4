import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {directoryDestination} from '../../../src/charts/publishing/destination-directory.ts'
import {type PackedChart, packChart} from '../../../src/charts/publishing/pack-chart.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {addFiles, manifest, writeFiles} from '../support/write-files.ts'

function packed(name: string, version: string, lines = ''): Promise<PackedChart> {
  return packChart(readChart(writeFiles({'Chart.yaml': manifest(name, version, lines)})))
}

function destination(path: string, url?: string) {
  return directoryDestination({path, url, now: new Date('2026-11-23T20:00:00Z')})
}

function indexOf(path: string): unknown {
  return load(readFileSync(join(path, 'index.yaml'), 'utf8'))
}

it('packages are next to an index with the metadata, URL and digest of each', async () => {
  const path = join(writeFiles({}), 'new')
  const keystone = await packed('keystone', '0.1.0', 'appVersion: "2025.1"\n')

  await destination(path).add([keystone])

  expect(readdirSync(path).sort()).toEqual(['index.yaml', 'keystone-0.1.0.tgz'])
  expect(readFileSync(join(path, 'keystone-0.1.0.tgz'))).toEqual(keystone.bytes)
  expect(indexOf(path)).toEqual({
    apiVersion: 'v1',
    generated: '2026-11-23T20:00:00.000Z',
    entries: {
      keystone: [
        {
          apiVersion: 'v2',
          name: 'keystone',
          version: '0.1.0',
          appVersion: '2025.1',
          urls: ['keystone-0.1.0.tgz'],
          created: '2026-11-23T20:00:00.000Z',
          digest: keystone.digest,
        },
      ],
    },
  })
})

it('older versions, other charts and unknown content of an index stay, the newest version first', async () => {
  const nginx = {version: '4.0.0', urls: ['https://elsewhere.example.org/nginx-4.0.0.tgz'], digest: 'abc'}
  const path = writeFiles({
    'index.yaml': JSON.stringify({
      apiVersion: 'v1',
      entries: {nginx: [nginx], keystone: [{version: '0.10.0'}, {version: '0.2.0', removed: true}]},
      serverInfo: {contextPath: '/charts'},
    }),
  })

  await destination(path, 'https://charts.example.org/').add([await packed('keystone', '0.9.0')])

  expect(indexOf(path)).toMatchObject({
    serverInfo: {contextPath: '/charts'},
    entries: {
      nginx: [nginx],
      keystone: [
        {version: '0.10.0'},
        {version: '0.9.0', urls: ['https://charts.example.org/keystone-0.9.0.tgz']},
        {version: '0.2.0', removed: true},
      ],
    },
  })
})

it('a version is new, published, or published with other content', async () => {
  const path = writeFiles({})
  const [same, other, next] = await Promise.all([
    packed('keystone', '0.1.0'),
    packed('keystone', '0.1.0', 'description: another\n'),
    packed('keystone', '0.2.0'),
  ])
  await destination(path).add([same])

  const states = await Promise.all([same, other, next].map((each) => destination(path).stateOf(each)))

  expect(states).toEqual(['there', 'other', 'new'])
})

it('a package without an index is not replaced by another', async () => {
  const path = writeFiles({'keystone-0.1.0.tgz': 'somebody else made it'})
  const keystone = await packed('keystone', '0.1.0')

  expect(await destination(path).stateOf(keystone)).toBe('other')
  await expect(destination(path).add([keystone])).rejects.toMatchObject({code: 'KK_PUBLISHED', exit: 3})
  expect(readdirSync(path)).toEqual(['keystone-0.1.0.tgz'])
})

it('packages that are published concurrently are all in the index', async () => {
  const path = writeFiles({})
  const versions = ['0.1.0', '0.2.0', '0.3.0', '0.4.0']

  await Promise.all(
    versions.map(async (version) => destination(path).add([await packed('keystone', version)])),
  )

  const entries = versions.toReversed().map((version) => ({version}))
  expect(indexOf(path)).toMatchObject({entries: {keystone: entries}})
  expect(readdirSync(path)).toHaveLength(5)
})

it.each(['- a list', 'entries: [keystone]', 'entries: {keystone: [{version: 1}]}'])(
  'an invalid index is not changed: %s',
  async (text) => {
    const path = writeFiles({'index.yaml': text})

    await expect(destination(path).add([await packed('keystone', '0.1.0')])).rejects.toMatchObject({
      code: 'KK_FILE',
      message: expect.stringContaining(`${path}/index.yaml: expected an index of charts`),
    })
    expect(readFileSync(join(path, 'index.yaml'), 'utf8')).toBe(text)
  },
)

it('charts are added to an index without any', async () => {
  const path = writeFiles({})
  addFiles(path, {'index.yaml': 'apiVersion: v1\nentries:\n'})

  await destination(path).add([await packed('keystone', '0.1.0')])

  expect(indexOf(path)).toMatchObject({entries: {keystone: [{version: '0.1.0'}]}})
})
