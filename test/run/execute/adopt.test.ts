import {expect, it} from 'vitest'
import {INPUTS_LABEL, readLabels} from '../../../src/plan/labels.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, newWorld, workOf} from './world.ts'

const ours = desiredOf('keystone', {requires: ['mariadb']})
const theirs = recordOf(desiredOf('keystone', {owner: 'other', layers: {section: {a: 1}}}))

it('adopting a release that another environment hands over keeps nothing of its labels but the passed gate', async () => {
  const world = newWorld({record: theirs})

  await world.execute({...actionOf('adopt', 2), from: 'other'}, workOf(ours))

  const {labels} = world.record!
  expect(readLabels(labels)).toMatchObject({owner: 'all-in-one', inputs: undefined, gated: 2})
  expect(labels).not.toHaveProperty(INPUTS_LABEL)
  expect(readLabels(labels)?.layers.size).toBe(0)
})

it.each([
  ['belongs to a third environment in the meantime', 'third'],
  ['is to be adopted as one that kk did not install', undefined],
])('adopting a release that %s is refused', async (_, from) => {
  const world = newWorld({record: theirs})
  const action = {...actionOf('adopt', 2), ...(from !== undefined && {from})}

  await expect(world.execute(action, workOf(ours))).rejects.toMatchObject({code: 'KK_RACED'})
  expect(world.record).toBe(theirs)
})

it('adopting a release of Flux takes over the fields of its objects before its record has a label', async () => {
  const labels = {
    'helm.toolkit.fluxcd.io/name': 'keystone',
    'helm.toolkit.fluxcd.io/namespace': 'flux-system',
  }
  const manifest = (more: object) =>
    JSON.stringify({apiVersion: 'v1', kind: 'Service', metadata: {name: 'keystone-api', ...more}})
  const [ofFlux, ofHelm] = [manifest({labels}), manifest({})].map((each) =>
    newWorld({record: theirs, manifests: {2: each}}),
  )

  for (const world of [ofFlux!, ofHelm!])
    await world.execute({...actionOf('adopt', 2), from: 'other'}, workOf(ours))

  const steps = (log: readonly string[]) =>
    log.filter((each) => /^(?:take|label)/.test(each)).map((each) => each.split(': {', 1)[0])
  expect(steps(ofFlux!.log)).toEqual([
    'take the fields of Flux in openstack: keystone-api',
    'label revision 2',
  ])
  expect(steps(ofHelm!.log)).toEqual(['label revision 2'])
})
