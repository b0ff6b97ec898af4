import {expect, test} from 'vitest'
import {releaseName} from '../../../src/release.ts'
import {makeSchedule} from '../../../src/run/schedule/schedule.ts'
import {skippedBy} from '../../../src/run/schedule/startable.ts'
import {type ActionState, newStates} from '../../../src/run/schedule/states.ts'
import {id} from '../../graph/graph-of.ts'
import {planOf} from '../plan-of.ts'

const plan = planOf({
  mariadb: [],
  rabbitmq: [],
  keystone: ['mariadb'],
  glance: ['keystone', 'rabbitmq'],
  ovn: [],
  nova: ['neutron:applied', 'glance'],
  neutron: ['nova:applied', 'ovn:applied'],
})

test.each<{states: Record<string, ActionState>; failed: string; skipped: string[]; direct: string[]}>([
  {
    states: {},
    failed: 'mariadb',
    skipped: ['keystone', 'glance', 'nova', 'neutron'],
    direct: ['keystone'],
  },
  {states: {keystone: 'succeeded'}, failed: 'glance', skipped: ['nova', 'neutron'], direct: ['nova']},
  {
    states: {glance: 'skipped', nova: 'skipped', neutron: 'skipped'},
    failed: 'rabbitmq',
    skipped: [],
    direct: [],
  },
  {states: {ovn: 'running'}, failed: 'ovn', skipped: ['nova', 'neutron'], direct: ['neutron']},
])('with $states, a failure of $failed skips $skipped', ({states, failed, skipped, direct}) => {
  const schedule = makeSchedule(plan.actions)
  const all = newStates(schedule, new Map(Object.entries(states).map(([name, state]) => [id(name), state])))
  all.move(id(failed), 'failed')

  const result = skippedBy(schedule, all, id(failed))

  expect(result.map(({release}) => releaseName(release))).toEqual(skipped)
  expect(result.filter((one) => one.direct).map(({release}) => releaseName(release))).toEqual(direct)
})
