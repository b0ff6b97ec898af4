import {expect, it} from 'vitest'
import type {Change} from '../../../../src/doctor/checks/change.ts'
import {reportedStates} from '../../../../src/doctor/checks/upgrade/reported-states.ts'
import type {Health} from '../../../../src/kubernetes/gate/health.ts'
import type {KubernetesObject} from '../../../../src/kubernetes/manifest/kubernetes-object.ts'
import {deployment} from './support/service.ts'

const status = (name: string): KubernetesObject => ({
  ...{apiVersion: 'apps/v1', kind: 'Deployment'},
  metadata: {name, annotations: {'kk.openstack.org/service-status': 'true'}},
})
const HEALTHY: Health = {state: 'healthy'}
const saying = (name: string, reason: string, message: string): Health => ({
  state: 'waiting',
  blames: [{object: `Deployment/${name}-status`, reason, message}],
})

interface Cloud {
  /** The states of the services in turn, each as long as it is the last. */
  readonly healths: Readonly<Record<string, readonly Health[]>>
  /** Whether the change replaces an image. */
  readonly replaces?: boolean
  readonly unfinished?: readonly string[]
  /** In milliseconds. */
  readonly longest?: number
}

/** Checks the upgrade of cinder, beside keystone. */
async function find({healths, replaces = true, unfinished = [], longest = 0}: Cloud) {
  const asked: string[] = []
  const said: string[] = []
  const next = {
    objects: [{object: deployment('api', 'cinder:2'), file: ''}],
    before: [deployment('api', 'cinder:1'), status('cinder-status')],
    hooksBefore: [],
  }
  const keystone = [status('keystone-status'), deployment('api', 'keystone:1')]
  const change = {
    next: new Map([['openstack/cinder', next]]),
    upgrade: replaces
      ? {
          near: new Set(['openstack/cinder', 'openstack/keystone', 'openstack/own']),
          unfinished: new Set(unfinished),
        }
      : undefined,
    staying: async () => ({
      releases: [
        {release: 'openstack/keystone', objects: keystone.map((object) => ({object, file: ''}))},
        {release: 'openstack/dropped', objects: [{object: status('dropped-status'), file: ''}]},
        {release: 'openstack/own', objects: [{object: deployment('api', 'own'), file: ''}]},
      ],
      unread: [],
    }),
    cluster: {
      health: {
        async of(_: string, objects: readonly KubernetesObject[]) {
          const {name} = objects[0]!.metadata
          const states = healths[name]!
          const state = states[asked.filter((each) => each === name).length] ?? states.at(-1)!
          asked.push(name)
          return state
        },
      },
    },
  } as unknown as Change
  const options = {patience: {longest, interval: 0}, onProgress: (line: string) => said.push(line)}
  return {found: await reportedStates(options).find(change), asked, said}
}

it('a service that an upgrade changes or requires, and that reports that it is not healthy, is a refusal', async () => {
  const {found} = await find({
    healths: {
      'cinder-status': [saying('cinder', 'ServiceUnhealthy', 'cinder-volume on one: down')],
      'keystone-status': [saying('keystone', 'ServiceUnknown', 'not known: no database')],
    },
  })

  expect(found).toMatchObject([
    {
      what: 'openstack/cinder reports that it is not healthy: cinder-volume on one: down',
      refusal: 'KK_UPGRADE_CHECK',
    },
    {what: 'not checked: the state of openstack/keystone: not known: no database'},
  ])
  expect(found[1]).not.toHaveProperty('refusal')
})

it('a service that becomes healthy in time is none', async () => {
  const down = saying('cinder', 'ServiceUnhealthy', 'cinder-volume on one: down')
  const healths = {'cinder-status': [down, down, HEALTHY], 'keystone-status': [HEALTHY]}

  const {found, asked, said} = await find({healths, longest: 10_000})

  expect(found).toEqual([])
  expect(said).toEqual([
    'openstack/cinder reports that it is not healthy: cinder-volume on one: down; waiting for a minute at most',
  ])
  expect(asked.filter((name) => name === 'cinder-status')).toHaveLength(3)
})

it('what an earlier change has left is noted, because this one may heal it', async () => {
  const down = saying('cinder', 'ServiceUnhealthy', 'cinder-volume on one: down')
  const healths = {'cinder-status': [down], 'keystone-status': [HEALTHY]}

  const {found, asked} = await find({healths, unfinished: ['openstack/cinder'], longest: 10_000})

  expect(found).toEqual([
    {
      what: 'openstack/cinder reports that it is not healthy: cinder-volume on one: down (its last change, or one of what it requires, has not ended)',
    },
  ])
  expect(asked).toHaveLength(2)
})

it('a change that replaces no image reads no status', async () => {
  const {found, asked} = await find({healths: {}, replaces: false})

  expect([found, asked]).toEqual([[], []])
})

it('what is down only on nodes that are away is noted, as in a gate', async () => {
  const cause = {
    object: 'Deployment/cinder-status',
    reason: 'ServiceUnhealthy',
    message: 'cinder-volume on one: down',
  }
  const healths = {
    'cinder-status': [{state: 'partial', notes: [cause]} as Health],
    'keystone-status': [HEALTHY],
  }

  const {found} = await find({healths})

  expect(found).toEqual([
    {what: 'openstack/cinder reports of nodes that are away: cinder-volume on one: down'},
  ])
})
