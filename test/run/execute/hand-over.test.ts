import {expect, it} from 'vitest'
import {EXPORTED_LABEL, readLabels} from '../../../src/plan/labels.ts'
import type {RemovalWork} from '../../../src/run/task.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const keystone = desiredOf('keystone')
const ours = recordOf(keystone)
const fluxs = {...ours, labels: {...ours.labels, [EXPORTED_LABEL]: 'flux'}}
const handOver = {...actionOf('hand-over', 2), tool: 'flux'} as const

it('a release that is handed over is marked, keeps its other labels, and can be adopted again', async () => {
  const world = newWorld({record: ours})

  await world.execute(handOver, workOf(keystone))
  const {labels} = world.record!
  await world.execute({...actionOf('adopt', 2), from: 'all-in-one'}, workOf(keystone))

  expect(labels).toEqual(fluxs.labels)
  expect(readLabels(world.record!.labels)).toMatchObject({
    owner: 'all-in-one',
    gated: 2,
    exportedTo: undefined,
  })
})

it.each(['upgrade', 'relabel', 'hand-over'] as const)(
  'a release that was handed over after the plan of an %s is left alone',
  async (kind) => {
    const world = newWorld({record: fluxs})

    await expect(
      world.execute(kind === 'hand-over' ? handOver : actionOf(kind, 2), workOf(keystone)),
    ).rejects.toMatchObject({code: 'KK_HANDED_OVER', exit: 3})
    expect(world.record).toBe(fluxs)
  },
)

it('a release that another environment has adopted in the meantime is not handed over', async () => {
  const world = newWorld({record: recordOf(desiredOf('keystone', {owner: 'other'}))})

  await expect(world.execute(handOver, workOf(keystone))).rejects.toMatchObject({code: 'KK_RACED'})
})

it('a removal or pruning planned before a hand-over deletes nothing', async () => {
  const [removing, pruning] = [newWorld({record: fluxs}), newWorld({record: fluxs})]
  const object = {apiVersion: 'v1', kind: 'ConfigMap', namespace: 'openstack', name: 'extra', uid: 'u1'}
  const removal: RemovalWork = {
    uid: fluxs.secret.uid,
    objects: [],
    hooks: [],
    values: {},
    claims: [],
    refusal: async () => undefined,
    ignored: new Set(),
    timeoutSeconds: 60,
    onEnded: async () => undefined,
  }

  const refused = {code: 'KK_HANDED_OVER'}
  await expect(removing.execute(actionOf('remove', 2), removal)).rejects.toMatchObject(refused)
  await expect(pruning.prune(2, {listDeletable: async () => [object]})).rejects.toMatchObject(refused)
  expect(removing.deeds()).not.toContain('helm uninstall')
  expect(pruning.log).not.toContain('delete object extra')
})
