import {describe, expect, it} from 'vitest'
import type {ReadinessRule} from '../../../../src/base/readiness.ts'
import {customResourceHealth} from '../../../../src/kubernetes/gate/kinds/custom-resource.ts'
import {around, STATED} from '../../support/objects.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const MADE = '2026-11-22T11:00:00Z'
const AROUND = around()

/** The kind has a subresource `status`; the object was made long ago. */
function healthOf(status: object | undefined, rule?: ReadinessRule, metadata: object = {}) {
  const object = {
    kind: 'Cache',
    metadata: {name: 'one', namespace: 'openstack', generation: 2, creationTimestamp: MADE, ...metadata},
    ...(status && {status}),
  }
  return customResourceHealth({rule, hasStatus: true, now: () => NOW})(object, AROUND, STATED)
}

const condition = (type: string, status: string) => ({conditions: [{type, status, reason: 'Because'}]})

interface Fresh {
  readonly status?: object
  readonly rule?: ReadinessRule
  readonly hasStatus?: boolean
  /** How long ago it was made, in milliseconds. */
  readonly ago?: number
}

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

  it.each([
    ['the kind has no status', {hasStatus: false}, 'healthy'],
    ['its controller has not had its time', {}, 'waiting'],
    ['its status is empty', {status: {}}, 'waiting'],
    ['its controller has written something', {status: {replicas: 1}}, 'healthy'],
    ['its controller has had its time', {ago: 120_000}, 'healthy'],
    ['its controller has almost had its time', {ago: 119_999}, 'waiting'],
    ['a rule holds', {rule: {path: '.kind', values: ['Cache']}}, 'healthy'],
    ['when it was made is not known', {ago: Number.NaN}, 'healthy'],
  ])('without a status is judged: %s', (_, {status, rule, hasStatus = true, ago = 0}: Fresh, state) => {
    const creationTimestamp = Number.isNaN(ago) ? undefined : new Date(NOW - ago).toISOString()
    const object = {
      kind: 'Cache',
      metadata: {name: 'one', ...(creationTimestamp && {creationTimestamp})},
      status,
    }

    const health = customResourceHealth({rule, hasStatus, now: () => NOW})(object, AROUND, STATED)

    expect(health.state).toBe(state)
    if (health.state === 'waiting') expect(health.until).toBe(NOW - ago + 120_000)
  })

  it('without a status has a time limit', () => {
    const health = healthOf(undefined, undefined, {creationTimestamp: '2026-11-22T11:59:00Z'})

    expect(health).toMatchObject({
      blames: [{message: expect.stringContaining('it counts as healthy 120 s after its creation')}],
    })
  })

  it('that is being deleted is waited for', () => {
    expect(healthOf(undefined, undefined, {deletionTimestamp: 'now'}).state).toBe('waiting')
  })

  it('is the cause with the reason of its controller', () => {
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

  it('prints the present value, but never a whole map', () => {
    const message = (status: object) => {
      const health = healthOf(status, rule)
      return health.state === 'waiting' ? health.blames[0]!.message : ''
    }

    expect(message({phase: 'Starting'})).toBe('.status.phase is Starting, not Running or Ready')
    expect(message({phase: {password: 'hunter2'}})).not.toContain('hunter2')
  })
})
