import {expect, it} from 'vitest'
import {INPUTS_LABEL, readLabels} from '../../../src/plan/labels.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const ours = desiredOf('keystone', {requires: ['mariadb']})
const theirs = recordOf(desiredOf('keystone', {owner: 'other', layers: {section: {a: 1}}}))

it("a release that another environment hands over is this one's afterwards, with nothing of theirs but the gate that it has passed", async () => {
  const world = newWorld({record: theirs})

  await world.execute({...actionOf('adopt', 2), from: 'other'}, workOf(ours))

  const {labels} = world.record!
  expect(readLabels(labels)).toMatchObject({owner: 'all-in-one', inputs: undefined, gated: 2})
  expect(labels).not.toHaveProperty(INPUTS_LABEL)
  expect(readLabels(labels)?.layers.size).toBe(0)
})

it.each([
  ['belongs to a third environment meanwhile', 'third'],
  ['is to be adopted as one that kk did not install', undefined],
])('a release that %s is left alone', async (_, from) => {
  const world = newWorld({record: theirs})
  const action = {...actionOf('adopt', 2), ...(from !== undefined && {from})}

  await expect(world.execute(action, workOf(ours))).rejects.toMatchObject({code: 'KK_RACED'})
  expect(world.record).toBe(theirs)
})
