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
const saying = (reason: string, message: string): Health => ({
  state: 'waiting',
  blames: [{object: 'Deployment/status', reason, message}],
})

interface Cloud {
  /** The states of the services in turn, each as long as it is the last. */
  readonly healths: Readonly<Record<string, readonly Health[]>>
  readonly image?: string
  readonly unfinished?: readonly string[]
  /** In milliseconds. */
  readonly longest?: number
}

/** Checks the upgrade of cinder, beside keystone. */
async function find({healths, image = 'cinder:2', unfinished = [], longest = 0}: Cloud) {
  const asked: string[] = []
  const next = {
    objects: [{object: deployment('api', image), file: ''}],
    before: [deployment('api', 'cinder:1'), status('cinder-status')],
    hooksBefore: [],
  }
  const keystone = [status('keystone-status'), deployment('api', 'keystone:1')]
  const change = {
    next: new Map([['openstack/cinder', next]]),
    unfinished,
    staying: async () => ({
      releases: [
        {release: 'openstack/keystone', objects: keystone.map((object) => ({object, file: ''}))},
        {release: 'openstack/own', objects: [{object: deployment('api', 'own'), file: ''}]},
      ],
      unread: [],
    }),
    cluster: {
      health: {
        async of(_: string, [object]: readonly KubernetesObject[]) {
          const {name} = object!.metadata
          const states = healths[name]!
          const state = states[asked.filter((each) => each === name).length] ?? states.at(-1)!
          asked.push(name)
          return state
        },
      },
    },
  } as unknown as Change
  return {found: await reportedStates({patience: {longest, interval: 0}}).find(change), asked}
}

it('a service that an upgrade changes or requires, and that reports that it is not healthy, is a refusal', async () => {
  const {found} = await find({
    healths: {
      'cinder-status': [saying('ServiceUnhealthy', 'cinder-volume on one: down')],
      'keystone-status': [saying('ServiceUnknown', 'not known: no database')],
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
  const down = saying('ServiceUnhealthy', 'cinder-volume on one: down')
  const healths = {'cinder-status': [down, down, HEALTHY], 'keystone-status': [HEALTHY]}

  const {found, asked} = await find({healths, longest: 10_000})

  expect(found).toEqual([])
  expect(asked.filter((name) => name === 'cinder-status')).toHaveLength(3)
})

it('what an earlier change has left is noted, because this one may heal it', async () => {
  const down = saying('ServiceUnhealthy', 'cinder-volume on one: down')
  const healths = {'cinder-status': [down], 'keystone-status': [HEALTHY]}

  const {found} = await find({healths, unfinished: ['openstack/keystone']})

  expect(found).toEqual([
    {
      what: 'openstack/cinder reports that it is not healthy: cinder-volume on one: down (the last change of openstack/keystone has not ended)',
    },
  ])
})

it('a change without a new image asks nobody', async () => {
  const {found, asked} = await find({healths: {}, image: 'cinder:1'})

  expect([found, asked]).toEqual([[], []])
})
