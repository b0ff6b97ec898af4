import fc from 'fast-check'
import {expect, it} from 'vitest'
import {
  chooseWorker,
  countByShard,
  groupId,
  listShards,
  selectShard,
  serves,
} from '../../../src/operator/workers/shards.ts'
import {releaseId} from '../../../src/release.ts'

const chart = {name: 'nova'}

it.each<[string, string, string | undefined, readonly string[], string]>([
  [
    'its own, before that of its section',
    'compute-api',
    'compute',
    ['compute', 'compute-api'],
    'compute-api',
  ],
  ['that of its section, before that of its chart', 'compute-api', 'compute', ['nova', 'compute'], 'compute'],
  ['that of its chart', 'compute-conductor', 'compute', ['nova', 'compute-api'], 'nova'],
  ['that of what no other is named for', 'nova', undefined, ['keystone'], 'others'],
])('the shard of a release is %s', (_, name, section, shards, expected) => {
  expect(selectShard({release: {name}, section, chart}, shards)).toBe(expected)
})

it('the shards of an environment are its charts, and its components without their common part', () => {
  const release = (name: string, charted: string, part?: string) => ({
    chart: {name: charted},
    desired: {release: releaseId('openstack', name), ...(part && {part: {name: part}})},
  })
  const releases = [
    release('keystone', 'keystone'),
    release('compute-common', 'nova', 'common'),
    release('compute-api', 'nova', 'api'),
    release('compute-conductor', 'nova', 'conductor'),
    release('compute-rollout', 'nova', 'rollout'),
    release('second', 'keystone'),
  ]

  expect(listShards(releases)).toEqual({
    charts: ['keystone', 'nova'],
    components: ['compute-api', 'compute-conductor'],
  })
})

it('releases are counted per shard', () => {
  const row = (name: string, charted: string, section?: string) => ({
    spec: {
      release: {namespace: 'openstack', name},
      section,
      chart: {name: charted, version: '1'},
      ...({action: 'unchanged', requires: [], protected: false} as const),
    },
  })
  const rows = [
    row('nova-api', 'nova'),
    row('nova-conductor', 'nova'),
    row('glance', 'glance'),
    row('compute-api', 'nova', 'compute'),
  ]

  const sizes = countByShard(rows, ['nova', 'nova-api', 'compute', 'keystone'])

  expect(Object.fromEntries(sizes)).toEqual({'nova-api': 1, nova: 1, compute: 1, others: 1})
})

it.each([
  [['keystone'], 'keystone', true],
  [['keystone'], 'keystone-db', false],
  [['nova-*'], 'nova-api', true],
  [['nova-*'], 'nova', false],
  [['glance', '*'], 'others', true],
  [[], 'others', false],
])('workers of %j serve %s: %s', (patterns, shard, expected) => {
  expect(serves(patterns, shard)).toBe(expected)
})

it('workers that serve the same shards are one group, in whichever order these are given', () => {
  expect(groupId(['a', 'b', 'a'])).toBe(groupId(['b', 'a']))
  expect(groupId(['a'])).not.toBe(groupId(['a', 'b']))
})

it('when a worker leaves, only its own keys move', () => {
  const processes = fc.uniqueArray(fc.string({minLength: 1}), {minLength: 2, maxLength: 8})
  fc.assert(
    fc.property(processes, fc.string(), fc.nat(), (all, key, index) => {
      const gone = all[index % all.length]!
      const before = chooseWorker(key, all)!
      const after = chooseWorker(
        key,
        all.filter((each) => each !== gone),
      )

      expect(chooseWorker(key, all.toReversed())).toBe(before)
      expect(before === gone || after === before).toBe(true)
    }),
  )
})
