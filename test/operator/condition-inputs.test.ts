import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {
  type EnvironmentState,
  environmentConditions,
  healthCondition,
} from '../../src/operator/condition-inputs.ts'
import {NO_RUN} from '../../src/run/run-state.ts'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {planOf} from '../run/plan-of.ts'
import {plannedOf} from './planned-of.ts'

const plan = planOf({keystone: []}, {keystone: 'upgrade'})
const planned = plannedOf(plan)
const error = new KkError('KK_YAML', 'line 1 is no YAML')

function release(
  health: ReleaseStatus['health'],
  inputs: ReleaseStatus['inputs'] = 'current',
): ReleaseStatus {
  return {
    ...{
      release: 'openstack/keystone',
      chart: 'keystone',
      version: '1',
      revision: 1,
      status: 'deployed',
      gate: 'passed',
    },
    ...{inputs, wanted: true, health, owner: 'production', requires: [], dependents: []},
  }
}
const CLOSED = {
  state: 'waiting',
  blames: [{object: 'Deployment/keystone-api', message: '0 of 1 replicas are available'}],
} as const
const deployed = (each: ReleaseStatus): EnvironmentState => ({
  kind: 'deployed',
  planned,
  releases: [each],
  source: 's',
})

const PHASES: readonly (readonly [string, EnvironmentState])[] = [
  ['paused', {kind: 'paused'}],
  ['cannot be planned for good', {kind: 'unplanned', error, isFinal: true}],
  ['cannot be planned now', {kind: 'unplanned', error, isFinal: false}],
  ['waits for approval', {kind: 'unapproved', planned, actions: plan.actions, releases: []}],
  ['has a cluster that does not answer', {kind: 'unreachable', error}],
  ['comes after others', {kind: 'waiting', planned, predecessorWait: {message: 'w', until: 1}, releases: []}],
  ['has failed', {kind: 'held', planned, failure: 'openstack/keystone has failed', releases: []}],
  ['is being deployed', {kind: 'running', planned, run: NO_RUN}],
  ['is being removed from', {kind: 'removing', planned, releases: [], run: NO_RUN}],
  ['has a closed gate', deployed(release(CLOSED))],
  ['lacks a release', deployed(release(undefined))],
  ['has a release with other inputs', deployed(release({state: 'healthy'}, 'changed'))],
]

it('an Environment for which the operator lacks a right has the command that grants it as a hint', () => {
  const forbidden = new KkError('KK_FORBIDDEN', 'may not list secrets', {hint: 'use another context'})

  const [ready] = environmentConditions('production', {kind: 'unplanned', error: forbidden, isFinal: false})

  expect(ready!.message).toContain('may not list secrets; kk operator install gives the operator its rights')
})

describe('an Environment that', () => {
  it.each(PHASES)('%s is not ready', (_, phase) => {
    const ready = environmentConditions('production', phase).filter(({type}) => type === 'Ready')

    expect(ready).toHaveLength(1)
    expect(ready[0]!.status).not.toBe('True')
  })

  it.each(PHASES)('%s is never both stalled and reconciling, and never twice the same', (_, phase) => {
    const types = environmentConditions('production', phase).map(({type}) => type)

    expect(types).toEqual([...new Set(types)])
    expect(types.includes('Stalled') && types.includes('Reconciling')).toBe(false)
  })

  it('has only open gates is ready', () => {
    expect(environmentConditions('production', deployed(release({state: 'healthy'})))[0]).toMatchObject({
      type: 'Ready',
      status: 'True',
    })
  })

  it('is partial is ready, and lists the releases with pods of an older version', () => {
    const note = {object: 'StatefulSet/db', message: '0 of 2 pods are of its current version (OnDelete)'}
    const partial = release({state: 'partial', notes: [note]})

    expect(environmentConditions('production', deployed(partial))[0]).toMatchObject({
      status: 'True',
      reason: 'Partial',
      message: 'every gate has passed; partial: openstack/keystone',
    })
    expect(healthCondition(partial)).toMatchObject({
      status: 'True',
      reason: 'Partial',
      message: 'partial; StatefulSet/db: 0 of 2 pods are of its current version (OnDelete)',
    })
  })

  it('has a Job with an unknown result has Ready Unknown', () => {
    const blames = [{object: 'Job/sync', message: 'it is gone, and was not seen to complete'}]

    expect(healthCondition(release({state: 'unknown', blames}))).toMatchObject({
      status: 'Unknown',
      message: 'Job/sync: it is gone, and was not seen to complete',
    })
  })

  it('uses a release of another environment is ready, whatever its inputs are', () => {
    const theirs = {...release({state: 'healthy'}, 'unknown'), owner: 'shared'}

    expect(environmentConditions('production', deployed(theirs))[0]).toMatchObject({status: 'True'})
  })

  it('has unwanted releases lists them, with the command that removes them', () => {
    const unwanted = {digest: 'r', releases: ['openstack/horizon'], kept: []} as const
    const phase = {...deployed(release({state: 'healthy'})), unwanted} as const
    const findings = environmentConditions('production', phase)

    expect(findings[0]).toMatchObject({type: 'Ready', status: 'True'})
    expect(findings.find(({type}) => type === 'Unwanted')?.message).toBe(
      'no longer wanted: openstack/horizon; to remove them: kk operator approve production r',
    )
  })

  it('has a closed gate reports which release it is, and why', () => {
    expect(environmentConditions('production', deployed(release(CLOSED)))[0]?.message).toBe(
      'openstack/keystone: Deployment/keystone-api: 0 of 1 replicas are available',
    )
  })

  it('waits for approval shows the command that approves it', () => {
    const [ready] = environmentConditions('production', {
      kind: 'unapproved',
      planned,
      actions: plan.actions,
      releases: [],
    })

    expect(ready?.message).toBe('1 action of the plan needs approval: kk operator approve production d')
  })
})
