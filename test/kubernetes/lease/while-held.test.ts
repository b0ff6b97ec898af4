import {expect, it, vi} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {CONFIG_MAPS} from '../../../src/kubernetes/api/resources.ts'
import type {Cluster} from '../../../src/kubernetes/cluster.ts'
import {whileHeld} from '../../../src/kubernetes/lease/while-held.ts'

it('a cluster writes only while the Lease is held', async () => {
  const objects = {
    read: vi.fn(async () => ({})),
    apply: vi.fn(async () => ({metadata: {}})),
    merge: vi.fn(async () => undefined),
    delete: vi.fn(async () => undefined),
  }
  const cluster = {context: 'here', objects} as unknown as Cluster
  const lease = {
    isHeld: true,
    expectHeld() {
      if (!this.isHeld) throw new KkError('KK_LEASE_LOST', 'another leads')
    },
  }
  const fenced = whileHeld(cluster, lease).objects
  const place = {namespace: 'kk-system', name: 'a'}
  const writes = [
    () => fenced.apply(CONFIG_MAPS, {metadata: place}, {manager: 'kk'}),
    () => fenced.merge(CONFIG_MAPS, place, {}),
    () => fenced.delete(CONFIG_MAPS, place),
  ]
  for (const write of writes) await write()

  lease.isHeld = false

  for (const write of writes) await expect(write()).rejects.toMatchObject({code: 'KK_LEASE_LOST'})
  await expect(fenced.read(CONFIG_MAPS, place)).resolves.toEqual({})
  expect(objects.apply.mock.lastCall).toEqual([CONFIG_MAPS, {metadata: place}, {manager: 'kk'}])
  for (const write of [objects.apply, objects.merge, objects.delete]) expect(write).toHaveBeenCalledTimes(1)
})
