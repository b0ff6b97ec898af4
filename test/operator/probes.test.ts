import * as prometheus from 'prom-client'
import {expect, it} from 'vitest'
import type {OperatorState} from '../../src/operator/operator.ts'
import {operatorMetrics, serveProbes} from '../../src/operator/probes.ts'

const WELL: OperatorState = {
  isLeader: true,
  problem: () => undefined,
  stuck: () => undefined,
  depth: () => 0,
  statuses: () => new Map(),
  shards: () => new Map(),
}

/** What an operator in this state answers. */
async function answer(path: string, state: OperatorState) {
  const metrics = operatorMetrics(prometheus, state)
  metrics.onReconcile('success', 2)
  metrics.onReconcile('error', 0.2)
  metrics.onGate('nova', 'passed', 40)
  await using probes = await serveProbes({host: '127.0.0.1', port: 0}, {state, metrics})
  const response = await fetch(`${probes.address}${path}`)
  return {status: response.status, text: await response.text()}
}

it.each<[string, string, Partial<OperatorState>, number, string]>([
  ['alive while all passes are heard of', '/healthz', {}, 200, 'ok'],
  ['not alive when a pass hangs', '/healthz', {stuck: () => 'production'}, 503, 'production'],
  ['ready while it sees its Environments', '/readyz', {}, 200, 'ok'],
  ['not ready while it does not', '/readyz', {problem: () => 'no answer'}, 503, 'no answer'],
  ['ready to lead as a standby', '/readyz', {isLeader: false, problem: () => 'no answer'}, 200, 'ok'],
  ['nowhere else', '/', {}, 404, '/metrics'],
])('an operator is %s', async (_, path, state, status, text) => {
  const answered = await answer(path, {...WELL, ...state})

  expect(answered.status).toBe(status)
  expect(answered.text).toContain(text)
})

it('serves metrics of its queue, reconciliations and gates, and of Environments, plans and shards', async () => {
  const condition = (type: string, status: 'True' | 'False') => ({
    ...{type, status, reason: 'a', message: 'b'},
    lastTransitionTime: '2026-11-23T08:00:00Z',
  })
  const actions = ['upgrade openstack/nova', 'upgrade openstack/glance', 'await openstack/keystone']
  const statuses = () =>
    new Map([
      ['staging', {conditions: [condition('Ready', 'True'), condition('Planned', 'True')]}],
      [
        'production',
        {
          conditions: [condition('Ready', 'False'), condition('Planned', 'True')],
          plan: {digest: 'd', actions},
        },
      ],
    ])
  const shards = () => new Map([['nova', 2]])

  const {text} = await answer('/metrics', {...WELL, depth: () => 3, statuses, shards})

  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'leader_election_master_status{name="kk-operator"} 1',
      'workqueue_depth{name="environment"} 3',
      'controller_runtime_reconcile_total{controller="environment",result="success"} 1',
      'controller_runtime_reconcile_total{controller="environment",result="error"} 1',
      'controller_runtime_reconcile_time_seconds_bucket{le="0.5",controller="environment"} 1',
      'controller_runtime_reconcile_time_seconds_count{controller="environment"} 2',
      'kk_environments{type="Ready",status="True"} 1',
      'kk_environments{type="Ready",status="False"} 1',
      'kk_environments{type="Planned",status="True"} 2',
      'kk_plan_actions{environment="production",kind="upgrade"} 2',
      'kk_plan_actions{environment="production",kind="await"} 1',
      'kk_releases{shard="nova"} 2',
      'kk_release_gate_seconds_bucket{le="30",chart="nova",result="passed"} 0',
      'kk_release_gate_seconds_bucket{le="60",chart="nova",result="passed"} 1',
    ]),
  )
})
