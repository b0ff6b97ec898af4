import {expect, it} from 'vitest'
import {serviceStatusCheck} from '../../../src/doctor/cluster/service-status.ts'
import type {Examination, ReadRecord} from '../../../src/doctor/facts.ts'
import type {Health} from '../../../src/kubernetes/gate/health.ts'

const annotations = {'kk.openstack.org/service-status': 'true'}
const deployment = (name: string, more: object = {annotations}) => ({
  ...{apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name, ...more}},
})
const recordOf = (name: string, ...objects: readonly object[]) =>
  ({record: {release: `openstack/${name}`}, objects}) as unknown as ReadRecord

/** Runs the check on releases, of which each object has a health. */
async function findings(records: readonly ReadRecord[], healths: Readonly<Record<string, Health>>) {
  const asked: string[] = []
  const of = async (_: string, [object]: readonly {readonly metadata: {readonly name: string}}[]) => {
    asked.push(object!.metadata.name)
    return healths[object!.metadata.name]
  }
  const facts = {cluster: {health: {of}}, readRecords: async () => records, kubectl: 'kubectl'}
  return {found: await serviceStatusCheck.run(facts as unknown as Examination), asked}
}

const blame = (name: string, reason: string, message: string): Health => ({
  state: 'waiting',
  blames: [{object: `Deployment/${name}`, reason, message}],
})

it('services that report that they are healthy are counted, each once, and no other object is read', async () => {
  const records = [
    recordOf('nova', deployment('nova-status'), deployment('nova-api', {})),
    recordOf('nova', deployment('nova-status')),
  ]

  const {found, asked} = await findings(records, {'nova-status': {state: 'healthy'}})

  expect(found).toEqual([{level: 'ok', what: '1 of 1 services report that they are healthy'}])
  expect(asked).toEqual(['nova-status'])
})

it('a service that is not healthy is a problem, and an unknown status a warning', async () => {
  const names = ['nova', 'heat', 'cinder', 'ovn']
  const records = names.map((name) => recordOf(name, deployment(`${name}-status`)))

  const {found} = await findings(records, {
    'nova-status': blame('nova-status', 'ServiceUnhealthy', 'nova-compute on one: down'),
    'heat-status': blame('heat-status', 'ServiceUnknown', 'not known: engines: no database'),
    'cinder-status': blame('cinder-status', 'CrashLoopBackOff', '0 of 1 replicas are available'),
    'ovn-status': {state: 'healthy'},
  })

  expect(found.map(({level, what}) => [level, what])).toEqual([
    ['problem', 'nova: nova-compute on one: down'],
    ['warning', 'heat: not known: engines: no database'],
    [
      'warning',
      'cinder: not known: its status is not reported: 0 of 1 replicas are available: CrashLoopBackOff',
    ],
    ['info', '1 of 4 services report that they are healthy'],
  ])
  expect(found[0]?.advice).toBe('kubectl logs deployment/nova-status --namespace openstack')
})

it('what is down only on nodes that are away is a warning, and the service is not counted as healthy', async () => {
  const note = {
    object: 'Deployment/cinder-status',
    reason: 'ServiceUnhealthy',
    message: 'cinder-volume on three: down',
  }

  const {found} = await findings([recordOf('cinder', deployment('cinder-status'))], {
    'cinder-status': {state: 'partial', notes: [note]},
  })

  expect(found).toMatchObject([
    {level: 'warning', what: 'cinder: on nodes that are away: cinder-volume on three: down'},
    {level: 'info', what: '0 of 1 services report that they are healthy'},
  ])
})

it('nothing is known of services that do not report', async () => {
  const {found} = await findings([recordOf('glance', deployment('glance-api', {}))], {})

  expect(found).toEqual([{level: 'info', what: 'not known: no release reports the status of its service'}])
})
