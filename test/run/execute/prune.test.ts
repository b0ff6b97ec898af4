import {describe, expect, it} from 'vitest'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord} from '../../plan/fixtures.ts'
import {newWorld} from './world.ts'

const EXTRA = {apiVersion: 'v1', kind: 'ConfigMap', namespace: 'openstack', name: 'extra', uid: 'u1'}
const OTHER = {apiVersion: 'v1', kind: 'Service', namespace: 'openstack', name: 'other', uid: 'u2'}
const listDeletable = async () => [EXTRA, OTHER]

describe('leftovers of failed revisions', () => {
  it('are deleted under the Lease, each object noted on disk before', async () => {
    const world = newWorld({record: bareRecord('openstack/keystone', 3)})

    const result = await world.prune(3, {listDeletable})

    expect(result).toEqual({revision: 3})
    expect(world.log).toEqual([
      'lease: taking its lease',
      'hold openstack/keystone',
      ...['delete object extra', 'deleted ConfigMap/extra', 'delete object other', 'deleted Service/other'],
      'give back',
    ])
    expect(
      world.journal.map((each) => ('object' in each ? `${each.type} ${each.object}` : each.type)),
    ).toEqual(['object-deleting ConfigMap/extra', 'object-deleting Service/other', 'release-ended'])
  })

  it('are not reported as deleted if they were re-created', async () => {
    const world = newWorld({
      record: bareRecord('openstack/keystone', 3),
      cluster: {
        live: port({delete: async ({name}) => name !== 'extra'}),
      },
    })

    await world.prune(3, {listDeletable})

    expect(world.log.filter((line) => line.startsWith('deleted'))).toEqual(['deleted Service/other'])
  })

  it.each([
    ['has another revision by now', bareRecord('openstack/keystone', 4)],
    ['has failed', {...bareRecord('openstack/keystone', 3), status: 'failed'}],
    ['is gone', undefined],
  ])('are kept if the release %s', async (_, record) => {
    const world = newWorld({record})

    await expect(world.prune(3, {listDeletable})).rejects.toMatchObject({code: 'KK_RACED'})

    expect(world.log).toEqual(['lease: taking its lease', 'hold openstack/keystone', 'give back'])
  })
})
