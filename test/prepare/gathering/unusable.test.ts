import {join} from 'node:path'
import {expect, it} from 'vitest'
import type {KkError} from '../../../src/base/errors.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {prepare} from '../../../src/prepare/prepare.ts'
import type {ReleaseId} from '../../../src/release.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CLOUD = `kk:
  releases:
    lost: {requires: [memcached, nowhere]}
memcached: {}
lost: {}
`

const prepared = (unusable?: Map<ReleaseId, KkError>) =>
  prepare({
    environment: readEnvironment({file: 'cloud.yaml', text: CLOUD, directory: ROOT}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
    unusable,
  })

it('reading commands skip missing charts of wanted and required releases', async () => {
  const unusable = new Map<ReleaseId, KkError>()

  const {graph, releases} = await prepared(unusable)

  expect([...releases.keys()]).toEqual(['openstack/memcached'])
  expect(graph.releases).toEqual(['openstack/memcached', 'openstack/lost', 'openstack/nowhere'])
  const found = [...unusable].map(([release, {code, message}]) => [release, code, message.split(': ')[0]])
  expect(found).toEqual([
    ['openstack/lost', 'KK_CHART_NOT_FOUND', 'cloud.yaml:5:1'],
    ['openstack/nowhere', 'KK_CHART_NOT_FOUND', expect.any(String)],
  ])
})

it('changing commands fail for missing charts', async () => {
  await expect(prepared()).rejects.toMatchObject({code: 'KK_CHART_NOT_FOUND'})
})
