import {describe, expect, it} from 'vitest'
import {customResourceHealth} from '../../../../src/cluster/gate/kinds/custom-resource.ts'
import type {ReadinessRule} from '../../../../src/cluster/gate/readiness/rules.ts'

const AROUND = {pods: [], claim: () => undefined}

function healthOf(status: object | undefined, rule?: ReadinessRule, metadata: object = {}) {
  const object = {
    kind: 'Cache',
    metadata: {name: 'one', namespace: 'openstack', generation: 2, ...metadata},
    ...(status && {status}),
  }
  return customResourceHealth(rule)(object, AROUND)
}

const condition = (type: string, status: string) => ({conditions: [{type, status, reason: 'Because'}]})

describe('a custom resource', () => {
  it.each([
    ['without a status', undefined, 'healthy'],
    ['without conditions that tell', condition('Other', 'False'), 'healthy'],
    ['that is Ready', condition('Ready', 'True'), 'healthy'],
    ['that is Available', condition('Available', 'True'), 'healthy'],
    ['that is not Ready', condition('Ready', 'False'), 'waiting'],
    ['that may be Ready', condition('Ready', 'Unknown'), 'waiting'],
    ['that is not Available', condition('Available', 'False'), 'waiting'],
    ['that is being reconciled', condition('Reconciling', 'True'), 'waiting'],
    ['that is stalled', condition('Stalled', 'True'), 'failed'],
    ['that was seen as it is', {...condition('Ready', 'True'), observedGeneration: 2}, 'healthy'],
    ['that was seen as it was', {...condition('Ready', 'True'), observedGeneration: 1}, 'waiting'],
    [
      'that is Ready as it is',
      {conditions: [{type: 'Ready', status: 'True', observedGeneration: 2}]},
      'healthy',
    ],
    [
      'that was Ready as it was',
      {conditions: [{type: 'Ready', status: 'True', observedGeneration: 1}]},
      'waiting',
    ],
  ])('%s', (_, status, state) => {
    expect(healthOf(status).state).toBe(state)
  })

  it('that is being deleted is waited for', () => {
    expect(healthOf(undefined, undefined, {deletionTimestamp: 'now'}).state).toBe('waiting')
  })

  it('is to blame with the reason of its controller', () => {
    expect(healthOf(condition('Ready', 'False'))).toEqual({
      state: 'waiting',
      blames: [
        {
          object: 'Cache/one',
          namespace: 'openstack',
          message: 'its condition Ready is False',
          reason: 'Because',
        },
      ],
    })
  })
})

describe('a rule for a kind', () => {
  const rule = {path: '.status.phase', values: ['Running', 'Ready']}

  it.each([
    [{phase: 'Ready'}, 'healthy'],
    [{phase: 'Starting'}, 'waiting'],
    [undefined, 'waiting'],
    [{phase: 'Ready', observedGeneration: 1}, 'waiting'],
    [{phase: 'Ready', ...condition('Ready', 'False')}, 'healthy'],
  ])('decides for the status %j', (status, state) => {
    expect(healthOf(status, rule).state).toBe(state)
  })

  it('says what stands there, but never a whole map', () => {
    const message = (status: object) => {
      const health = healthOf(status, rule)
      return health.state === 'waiting' ? health.blames[0]!.message : ''
    }

    expect(message({phase: 'Starting'})).toBe('.status.phase is Starting, not Running or Ready')
    expect(message({phase: {password: 'hunter2'}})).not.toContain('hunter2')
  })
})
