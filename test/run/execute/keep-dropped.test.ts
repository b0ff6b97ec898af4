import {describe, expect, test} from 'vitest'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const keystone = desiredOf('keystone', {requires: ['mariadb']})

describe('objects that the chart no longer contains', () => {
  test('are kept if they are claims, before helm would delete them', async () => {
    const world = newWorld({record: recordOf(keystone)})
    const dropped = [{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data'}}]

    await world.execute(actionOf('upgrade', 2), workOf(keystone, {dropped}))

    const deeds = world.deeds()
    expect(deeds.indexOf('keep PersistentVolumeClaim openstack/data')).toBeGreaterThan(-1)
    expect(deeds.indexOf('keep PersistentVolumeClaim openstack/data')).toBeLessThan(
      deeds.indexOf('helm upgrade'),
    )
  })

  test('are refused if a StatefulSet would delete its claims', async () => {
    const claims = [{namespace: 'openstack', name: 'data-db-0', uid: 'u', labels: {app: 'db'}}]
    const set = (whenDeleted: string) => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: {name: 'db'},
      spec: {
        selector: {matchLabels: {app: 'db'}},
        volumeClaimTemplates: [{metadata: {name: 'data'}}],
        persistentVolumeClaimRetentionPolicy: {whenDeleted},
      },
    })
    const upgrade = async (whenDeleted: string) => {
      const world = newWorld({
        record: recordOf(keystone),
        cluster: {
          live: port({claims: async () => claims}),
        },
      })
      const work = workOf(keystone, {dropped: [set(whenDeleted)]})
      return {world, done: world.execute(actionOf('upgrade', 2), work)}
    }

    const deleting = await upgrade('Delete')
    await expect(deleting.done).rejects.toMatchObject({
      code: 'KK_UNCONFIRMED',
      message: expect.stringContaining('StatefulSet/db would be deleted, and with it'),
    })
    await expect((await upgrade('Retain')).done).resolves.toBeDefined()
    expect(deleting.world.deeds()).not.toContain('helm upgrade')
  })
})
