import fc from 'fast-check'
import {expect, it} from 'vitest'
import {groupOf, ownerOf, serves, shardOf, sizesOf} from '../../../src/operator/children/shards.ts'
import type {ReleaseId} from '../../../src/release.ts'

const chart = {name: 'nova', version: '1', appVersion: '1'}

it.each<[string, ReleaseId, readonly string[], string]>([
  ['its own, before that of its chart', 'openstack/nova-api', ['nova', 'nova-api'], 'nova-api'],
  ['that of its chart', 'openstack/nova-conductor', ['nova', 'nova-api'], 'nova'],
  ['that of what no other is named for', 'openstack/nova', ['keystone'], 'others'],
])('the shard of a release is %s', (_, release, shards, expected) => {
  expect(shardOf({release, chart}, shards)).toBe(expected)
})

it('the size of a shard is how many releases are in it', () => {
  const row = (name: string, charted: string) => ({
    spec: {
      release: {namespace: 'openstack', name},
      chart: {name: charted, version: '1'},
      ...({action: 'unchanged', requires: [], protected: false} as const),
    },
  })
  const rows = [row('nova-api', 'nova'), row('nova-conductor', 'nova'), row('glance', 'glance')]

  const sizes = sizesOf(rows, ['nova', 'nova-api', 'keystone'])

  expect(Object.fromEntries(sizes)).toEqual({'nova-api': 1, nova: 1, others: 1})
})

it.each([
  [['keystone'], 'keystone', true],
  [['keystone'], 'keystone-db', false],
  [['nova-*'], 'nova-api', true],
  [['nova-*'], 'nova', false],
  [['glance', '*'], 'others', true],
  [[], 'others', false],
])('children of %j serve %s: %s', (patterns, shard, expected) => {
  expect(serves(patterns, shard)).toBe(expected)
})

it('processes that serve the same shards are one group, however these are told', () => {
  expect(groupOf(['a', 'b', 'a'])).toBe(groupOf(['b', 'a']))
  expect(groupOf(['a'])).not.toBe(groupOf(['a', 'b']))
})

it('when a process goes, only what was its own moves', () => {
  const processes = fc.uniqueArray(fc.string({minLength: 1}), {minLength: 2, maxLength: 8})
  fc.assert(
    fc.property(processes, fc.string(), fc.nat(), (all, key, index) => {
      const gone = all[index % all.length]!
      const before = ownerOf(key, all)!
      const after = ownerOf(
        key,
        all.filter((each) => each !== gone),
      )

      expect(ownerOf(key, all.toReversed())).toBe(before)
      expect(before === gone || after === before).toBe(true)
    }),
  )
})
