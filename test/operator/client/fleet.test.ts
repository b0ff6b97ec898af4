import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {fleetPlanText, fleetStatusText, readFleetPlans} from '../../../src/operator/client/fleet.ts'
import type {OperatedEnvironment, OperatorStatus} from '../../../src/operator/client/status.ts'
import type {ClusterConnections} from '../../../src/operator/cluster-connections.ts'
import {palette} from '../../../src/report/colour.ts'
import {viewText} from '../../../src/report/text/view.ts'

const PLAIN = palette(0)
const NOW = Date.parse('2026-11-25T12:00:00Z')

function environment(name: string, more: Partial<OperatedEnvironment> = {}): OperatedEnvironment {
  return {
    ...{name, cluster: null, reachable: null, since: '2026-11-25T11:00:00Z', phase: 'ready'},
    ...{message: 'every release is healthy', summary: '2/2', plan: null, removal: null, approve: null},
    ...{conditions: [], releases: []},
    ...more,
  }
}
const status = (...environments: readonly OperatedEnvironment[]): OperatorStatus => ({
  ...{installed: true, leader: 'operator', environments},
})
const PLAN = {digest: 'a'.repeat(64), actions: ['upgrade openstack/keystone']}

it('the fleet status is a table with one Environment per line', () => {
  const away = {cluster: 'north', reachable: false, phase: 'unreachable', message: 'no route'} as const
  const waiting = {cluster: 'south', reachable: true, phase: 'waiting', plan: PLAN, message: 'waits'} as const
  const text = viewText(
    fleetStatusText(
      status(
        environment('home'),
        environment('north', away),
        environment('south', {...waiting, since: null}),
      ),
      NOW,
      PLAIN,
    ),
  )

  expect(text.split('\n')).toEqual([
    'environment  cluster  phase        ready  to do  since     reachable  message',
    'home         -        ready        2/2    0      1 h 00 m',
    'north        north    unreachable  2/2    0      1 h 00 m  no         no route',
    'south        south    waiting      2/2    1                yes        waits',
    '',
  ])
})

it('without a leader the fleet status starts with a warning', () => {
  const [first, head] = viewText(
    fleetStatusText({...status(environment('home')), leader: null}, NOW, PLAIN),
  ).split('\n')

  expect(first).toBe('no operator leads: nothing is reconciled; see its pods: kubectl get pods -n kk-system')
  expect(head).toMatch(/^environment /)
})

it('the fleet status of a cluster without an operator contains the command that installs one', () => {
  expect(viewText(fleetStatusText({...status(), installed: false}, NOW, PLAIN))).toContain(
    'kk operator install',
  )
})

it('a plan in the status of an Environment is not made again, and a plan that cannot be made has a problem', async () => {
  const asked: string[] = []
  const objects = {list: async () => [{metadata: {name: 'paused'}, spec: {source: {configMap: 'paused'}}}]}
  const connections = {
    forEnvironment: ({metadata}: {metadata: {name: string}}) => {
      asked.push(metadata.name)
      return {connect: () => Promise.reject(new KkError('KK_UNREACHABLE', 'it does not answer'))}
    },
  } as unknown as ClusterConnections
  const hub = {objects: {...objects, read: async () => ({data: {'environment.yaml': '{}'}})}}
  const plans = await readFleetPlans(
    status(
      environment('waits', {phase: 'waiting', plan: PLAN, message: 'waits for staging', cluster: 'north'}),
      environment('paused', {phase: 'paused', plan: PLAN}),
    ),
    hub as unknown as Parameters<typeof readFleetPlans>[1],
    async () => connections,
  )

  expect(asked).toEqual(['paused'])
  expect(plans).toMatchObject([
    {name: 'waits', from: 'status', plan: PLAN, problem: null},
    {name: 'paused', from: 'planned', plan: null, problem: 'it does not answer'},
  ])
  expect(viewText(fleetPlanText(plans, PLAIN)).split('\n')).toEqual([
    'waits  north  waiting  plan aaaaaaaaaaaa',
    '  waits for staging',
    '  upgrade openstack/keystone',
    'paused  -  paused  no plan',
    '  it does not answer',
    '',
  ])
})
