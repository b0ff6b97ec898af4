import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {ApiError} from '../../../src/kubernetes/api/api-error.ts'
import {operatorStatusText, readOperatorStatus} from '../../../src/operator/client/status.ts'
import {type EnvironmentState, environmentConditions} from '../../../src/operator/condition-inputs.ts'
import type {Condition, ConditionInput} from '../../../src/operator/crds/conditions.ts'
import {palette} from '../../../src/report/colour.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {NO_RUN} from '../../../src/run/run-state.ts'
import {planOf} from '../../run/plan-of.ts'
import {plannedOf} from '../planned-of.ts'

const PLAIN = palette(0)
const plan = planOf({keystone: []}, {keystone: 'upgrade'})
const planned = plannedOf(plan)
const error = new KkError('KK_YAML', 'line 1 is no YAML')

function conditions(findings: readonly ConditionInput[]): readonly Condition[] {
  return findings.map((each) => ({
    ...each,
    lastTransitionTime: '2026-11-23T08:00:00Z',
    observedGeneration: 2,
  }))
}

/** A cluster with this Environment, its Release, and a leader until that time. */
function clusterWith(environments: readonly object[] | undefined, {release = {}, until = 1_000} = {}) {
  const row = {
    metadata: {name: 'production.openstack.keystone', labels: {'kk.openstack.org/environment': 'production'}},
    spec: {
      release: {namespace: 'openstack', name: 'keystone'},
      chart: {name: 'keystone', version: '1'},
      action: 'upgrade',
    },
    status: release,
  }
  const lists: Readonly<Record<string, readonly object[] | undefined>> = {
    Environment: environments,
    Release: environments && [row],
  }
  return {
    objects: {list: async ({kind}: {kind: string}) => lists[kind]},
    apiServer: {customKinds: async () => []},
    leases: {read: async () => ({holder: 'operator kk-operator-0', runsOut: until}), now: () => 500},
  } as unknown as Parameters<typeof readOperatorStatus>[0]
}

const environment = (status?: object, generation = 2) => ({
  metadata: {name: 'production', generation},
  spec: {source: {configMap: 'production'}},
  status,
})

it.each<[string, EnvironmentState]>([
  ['paused', {kind: 'paused'}],
  ['stalled', {kind: 'unplanned', error, isFinal: true}],
  ['retrying', {kind: 'unplanned', error, isFinal: false}],
  ['unapproved', {kind: 'unapproved', planned, actions: plan.actions, releases: []}],
  ['waiting', {kind: 'waiting', planned, predecessorWait: {message: 'w', until: 1}, releases: []}],
  ['failed', {kind: 'held', planned, failure: 'openstack/keystone has failed', releases: []}],
  ['running', {kind: 'running', planned, run: NO_RUN}],
  ['ready', {kind: 'deployed', planned, releases: [], source: 's'}],
])('an Environment in this state has the phase %s', async (expected, phase) => {
  const status = {observedGeneration: 2, conditions: conditions(environmentConditions('production', phase))}

  const {environments} = await readOperatorStatus(clusterWith([environment(status)]))

  expect(environments[0]?.phase).toBe(expected)
})

it('an invalid label selector is a usage error', async () => {
  const cluster = clusterWith([])
  const objects = {
    list: async ({kind}: {kind: string}) => {
      if (kind === 'Environment')
        throw new ApiError('KK_API', 'no', {status: 400, serverMessage: 'found =, expected !'})
      return []
    },
  }

  const read = readOperatorStatus({...cluster, objects} as unknown as typeof cluster, {selector: '=='})

  await expect(read).rejects.toMatchObject({
    code: 'KK_USAGE',
    message: '--selector ==: found =, expected !',
  })
})

it('an Environment with a newer generation than observed has the phase unseen', async () => {
  const phase = {kind: 'deployed', planned, releases: [], source: 's'} as const
  const status = {observedGeneration: 2, conditions: conditions(environmentConditions('production', phase))}

  const {environments} = await readOperatorStatus(clusterWith([environment(status, 3)]), {
    names: ['production'],
  })

  expect(environments[0]).toMatchObject({
    phase: 'unseen',
    message: 'the operator has not observed the current generation yet',
  })
})

it('an Environment whose cluster does not answer has the phase unreachable, whatever its conditions were', async () => {
  const phase = {kind: 'deployed', planned, releases: [], source: 's'} as const
  const away = {type: 'Reachable', status: 'False', reason: 'KK_UNREACHABLE', message: 'no route'} as const
  const known = conditions([...environmentConditions('production', phase), away])
  const {environments} = await readOperatorStatus(
    clusterWith([environment({observedGeneration: 2, conditions: known})]),
  )

  expect(environments[0]).toMatchObject({phase: 'unreachable', reachable: false, message: 'no route'})
})

it('a plan that waits for approval is shown with its actions, its notes and the command that approves it', async () => {
  const digest = 'a'.repeat(64)
  const phase = {
    kind: 'unapproved',
    planned: {...planned, digest},
    actions: plan.actions,
    releases: [],
  } as const
  const status = {
    observedGeneration: 2,
    summary: '0/1',
    plan: {digest, actions: ['upgrade openstack/keystone'], notes: ['no node takes it']},
    conditions: conditions(environmentConditions('production', phase)),
  }
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'Unhealthy',
    message: 'Deployment/keystone-api: 0 of 1',
  }
  const cluster = clusterWith([environment(status)], {release: {revision: 4, conditions: [ready]}})

  const text = viewText(operatorStatusText(await readOperatorStatus(cluster), PLAIN))

  expect(text.split('\n')).toEqual([
    'leads: operator kk-operator-0',
    `production  unapproved  0/1  1 action of the plan needs approval: kk operator approve production ${digest}`,
    `  plan ${digest}`,
    '    upgrade openstack/keystone',
    '  note: no node takes it',
    `  to approve it: kk operator approve production ${digest}`,
    '  !  openstack/keystone  Unhealthy  Deployment/keystone-api: 0 of 1',
    '',
  ])
})

it.each([
  ['not shown while there is none', {status: 'False', reason: 'AsDeployed', message: 'as said'}, []],
  [
    'shown',
    {status: 'True', reason: 'Drifted', message: 'openstack/api Deployment/api spec'},
    ['  drift: openstack/api Deployment/api spec'],
  ],
  [
    'shown where it is ignored',
    {status: 'False', reason: 'Ignored', message: 'as said; ignored: a'},
    ['  drift: as said; ignored: a'],
  ],
] as const)('drift is %s', async (_, drift, lines) => {
  const phase = {
    kind: 'deployed',
    planned,
    releases: [],
    source: 's',
    drift: {type: 'Drifted', ...drift},
  } as const
  const status = {observedGeneration: 2, conditions: conditions(environmentConditions('production', phase))}
  const ready = {type: 'Ready', status: 'True', reason: 'Healthy', message: 'healthy'}
  const cluster = clusterWith([environment(status)], {release: {conditions: [ready]}})

  const text = viewText(operatorStatusText(await readOperatorStatus(cluster), PLAIN))

  expect(text.split('\n').slice(2)).toEqual([...lines, ''])
})

it.each([
  [
    'no kinds of the operator',
    clusterWith(undefined),
    'the operator is not installed; to install it: kk operator install',
  ],
  ['a Lease that ran out', clusterWith([], {until: 400}), 'no operator leads: nothing is reconciled'],
  ['no Environment', clusterWith([]), 'no Environments; to create one: kk operator adopt FILE'],
])('the operator status of a cluster with %s reports that', async (_, cluster, text) => {
  expect(viewText(operatorStatusText(await readOperatorStatus(cluster), PLAIN))).toContain(text)
})

it.each([
  ['the kinds', undefined],
  ['that name', [environment()]],
])('an unknown name is refused on a cluster without %s', async (_, environments) => {
  await expect(readOperatorStatus(clusterWith(environments), {names: ['staging']})).rejects.toMatchObject({
    code: 'KK_NO_OPERATED',
  })
})
