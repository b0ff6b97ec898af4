import {describe, expect, it} from 'vitest'
import type {EnvironmentSpec, EnvironmentStatus} from '../../src/operator/crds/environment.ts'
import {decide, type Planned, planDigest, stateDigest, targetDigest} from '../../src/operator/decision.ts'
import {nextStage} from '../../src/operator/stages.ts'
import {isChange, type Plan} from '../../src/plan/plan.ts'
import {planOf} from '../run/plan-of.ts'

const UPGRADE = planOf({mariadb: [], keystone: ['mariadb']}, {mariadb: 'unchanged', keystone: 'upgrade'})
const AWAIT = planOf({keystone: []}, {keystone: 'await'})
const IDLE = planOf({keystone: []}, {keystone: 'unchanged'})

const INFRASTRUCTURE = planOf(
  {mariadb: [], keystone: ['mariadb'], glance: ['keystone'], heat: ['keystone']},
  {mariadb: 'upgrade', keystone: 'upgrade', glance: 'upgrade', heat: 'check'},
)

function planned(plan: Plan, after: readonly string[] = []): Planned {
  const stops = after.map((name) => ({name, releases: [`openstack/${name}`] as const}))
  const stage = nextStage(plan, stops)
  const target = targetDigest(plan, stage.until)
  return {plan, stage, digest: planDigest(stage.plan), target, state: stateDigest(plan)}
}

interface Left {
  readonly approval?: EnvironmentSpec['approval']
  readonly status?: EnvironmentStatus
  readonly retry?: string
}

function decided(plan: Plan, {approval, status = {}, retry}: Left = {}) {
  const annotations: Record<string, string> = retry === undefined ? {} : {'kk.openstack.org/retry': retry}
  const spec = {source: {configMap: 'production'}, approval}
  return decide(planned(plan, approval?.after), {metadata: {name: 'production', annotations}, spec, status})
    .kind
}

const {digest, target} = planned(UPGRADE)
const failed = {inputs: target, message: 'openstack/keystone has failed'}
const required = ['upgrade'] as const

describe('of a plan', () => {
  it.each<[string, Plan, Left, string]>([
    ['that changes nothing, nothing is begun', IDLE, {approval: {required}}, 'idle'],
    ['that needs no approval, all is begun', UPGRADE, {}, 'run'],
    ['that needs approval, nothing is begun', UPGRADE, {approval: {required}}, 'unapproved'],
    ['that is approved, all is begun', UPGRADE, {approval: {required, plan: digest}}, 'run'],
    [
      'another than was approved, nothing is begun',
      UPGRADE,
      {approval: {required, plan: planDigest(AWAIT)}},
      'unapproved',
    ],
    [
      'that goes on with an approved one, all is begun',
      UPGRADE,
      {approval: {required}, status: {begun: target}},
      'run',
    ],
    ['that has failed, nothing is begun again', UPGRADE, {status: {failed}}, 'held'],
    ['that is to be tried again, all is begun', UPGRADE, {status: {failed}, retry: 'now'}, 'run'],
    [
      'that was tried again and has failed, nothing is begun',
      UPGRADE,
      {status: {failed, retried: 'now'}, retry: 'now'},
      'held',
    ],
    [
      'to other inputs than have failed, all is begun',
      UPGRADE,
      {status: {failed: {...failed, inputs: 'other'}}},
      'run',
    ],
    [
      'that only waits at gates, all is begun again',
      AWAIT,
      {status: {failed: {...failed, inputs: targetDigest(AWAIT)}}},
      'run',
    ],
  ])('%s', (_, plan, left, kind) => {
    expect(decided(plan, left)).toBe(kind)
  })
})

describe('of a plan that stops after mariadb, and after keystone', () => {
  const after = ['mariadb', 'keystone']
  const only = (...left: string[]): Plan => ({
    ...INFRASTRUCTURE,
    actions: INFRASTRUCTURE.actions.map((action) =>
      left.includes(action.release) || action.kind === 'check' ? action : {...action, kind: 'unchanged'},
    ),
  })
  const changedIn = (plan: Plan) => planned(plan, after).stage.plan.actions.filter(isChange)
  const beyond = only('openstack/keystone', 'openstack/glance')

  it('mariadb is changed first, and unchanged dependents are checked', () => {
    expect(changedIn(INFRASTRUCTURE).map(({release}) => release)).toEqual(['openstack/mariadb'])
    expect(planned(INFRASTRUCTURE, after).stage.plan.actions.map(({release}) => release)).toEqual([
      'openstack/mariadb',
      'openstack/heat',
    ])
    expect(decided(INFRASTRUCTURE, {approval: {after}})).toBe('run')
  })

  it('the rest waits for approval, which is valid up to the next stop', () => {
    const {digest: made, stage} = planned(beyond, after)

    expect(stage).toMatchObject({after: 'mariadb', until: 'keystone'})
    expect(changedIn(beyond).map(({release}) => release)).toEqual(['openstack/keystone'])
    expect(decided(beyond, {approval: {after}})).toBe('unapproved')
    expect(decided(beyond, {approval: {after, plan: made}})).toBe('run')
    expect(decided(only('openstack/glance'), {approval: {after, plan: made}})).toBe('unapproved')
  })

  it('a run that was started before the stop does not continue after it', () => {
    const {target: begun} = planned(INFRASTRUCTURE, after)

    expect(decided(INFRASTRUCTURE, {approval: {after, required}, status: {begun}})).toBe('run')
    expect(decided(beyond, {approval: {after}, status: {begun}})).toBe('unapproved')
  })

  it('the releases are tested before it waits, and it goes on only if they pass', () => {
    const {state, target} = planned(beyond, after)
    const approval = {after, test: true}
    const failure = 'tests: openstack/mariadb has failed'

    expect(decided(INFRASTRUCTURE, {approval})).toBe('run')
    expect(decided(beyond, {approval})).toBe('test')
    expect(decided(beyond, {approval, status: {tested: {state: 'of others'}}})).toBe('test')
    expect(decided(beyond, {approval, status: {tested: {state}}})).toBe('unapproved')
    expect(decided(beyond, {approval, status: {tested: {state, failure}}})).toBe('held')
    expect(decided(beyond, {approval, status: {tested: {state, failure}}, retry: 'now'})).toBe('test')
    expect(decided(beyond, {approval, status: {begun: target}})).toBe('run')
    const failed = {inputs: target, message: 'openstack/keystone has failed'}
    expect(decided(beyond, {approval, status: {failed}, retry: 'now'})).toBe('unapproved')
  })

  it('gates are awaited after the stop, too', () => {
    const waits = {
      ...INFRASTRUCTURE,
      actions: INFRASTRUCTURE.actions.map(
        (action) =>
          ({...action, kind: action.release === 'openstack/glance' ? 'await' : 'unchanged'}) as typeof action,
      ),
    }

    expect(decided(waits, {approval: {after}})).toBe('run')
  })
})

describe('of a plan that changes nothing', () => {
  const {state} = planned(IDLE)

  it.each<[string, EnvironmentStatus, string]>([
    ['tests are run if these revisions have none', {}, 'test'],
    ['they are not run again', {tested: {state}}, 'idle'],
    ['their failure is kept', {tested: {state, failure: 'tests: openstack/keystone has failed'}}, 'held'],
  ])('%s', (_, status, kind) => {
    expect(decided(IDLE, {approval: {test: true}, status})).toBe(kind)
  })
})

describe('the digest of a plan', () => {
  it('changes when the revision of a release changes', () => {
    const moved = {...UPGRADE, actions: UPGRADE.actions.map((action) => ({...action, revision: 9}))}

    expect(planDigest(moved)).not.toBe(planDigest(UPGRADE))
  })

  it('changes after each approved and successful run', () => {
    const first = planDigest(UPGRADE)
    const second = planDigest(UPGRADE, first)
    const third = planDigest(UPGRADE, second)

    expect(new Set([first, second, third]).size).toBe(3)
    const stage = {plan: UPGRADE, until: undefined, after: undefined}
    const planned = {plan: UPGRADE, stage, digest: second, target: targetDigest(UPGRADE), state: 's'}
    const spec = {source: {configMap: 'a'}, approval: {required: ['upgrade' as const], plan: first}}
    expect(decide(planned, {metadata: {name: 'a'}, spec}).kind).toBe('unapproved')
  })

  it('changes when a release was removed and installed again, with as many revisions', () => {
    const [former, present] = ['uid-1', 'uid-2'].map((uid) => ({
      ...UPGRADE,
      actions: UPGRADE.actions.map((action) => ({...action, uid})),
    }))

    expect(planDigest(former!)).not.toBe(planDigest(present!))
  })

  it('does not change when only unchanged releases differ', () => {
    const [mariadb, keystone] = UPGRADE.actions
    const moved = {...UPGRADE, actions: [{...mariadb!, revision: 9}, keystone!]}

    expect(planDigest(moved)).toBe(planDigest(UPGRADE))
  })
})
