import {expect, it} from 'vitest'
import type {Condition} from '../../src/operator/crds/conditions.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import {expectNoCycle, predecessorWait} from '../../src/operator/predecessors.ts'

const NOW = Date.parse('2026-11-25T12:00:00Z')

/** An Environment that has been ready since 11:00 with these inputs. */
function steady(more: Partial<EnvironmentObject> = {}): EnvironmentObject {
  return {
    metadata: {name: 'staging', generation: 3},
    spec: {source: {configMap: 'staging'}},
    status: {steady: {since: '2026-11-25T11:00:00Z', generation: 3, source: 'digest'}},
    ...more,
  }
}
const staging = {name: 'staging', object: steady(), source: 'digest', time: '1h'}
const away = {
  type: 'Reachable',
  status: 'False',
  reason: 'KK_UNREACHABLE',
  message: 'away',
  lastTransitionTime: '2026-11-25T11:59:00Z',
} as const satisfies Condition

it('a predecessor that has been ready for long enough is no longer awaited', () => {
  expect(predecessorWait(staging, NOW)).toBeUndefined()
  expect(predecessorWait({...staging, time: undefined}, NOW)).toBeUndefined()
})

it('the remaining time is rounded up in steps, with its end', () => {
  expect(predecessorWait({...staging, time: '24h'}, NOW)).toEqual({
    message:
      'waiting for staging: it must have been ready for 24h; 23 h 00 m left, until 2026-11-26T11:00:00Z',
    until: Date.parse('2026-11-26T11:00:00Z'),
  })
  expect(predecessorWait({...staging, time: '24h'}, NOW + 61_000)?.message).toContain('23 h 00 m left')
  expect(predecessorWait({...staging, time: '70m'}, NOW + 1_000)?.message).toContain('10 m 00 s left')
})

it.each([
  ['is not there', {object: undefined}],
  ['is not ready', {object: steady({status: {}})}],
  ['was ready with another generation', {object: steady({metadata: {name: 'staging', generation: 4}})}],
  ['was ready with another file', {source: 'other'}],
  ['has a file that cannot be read', {source: undefined}],
  ['does not answer', {object: steady({status: {...steady().status, conditions: [away]}})}],
])('a predecessor that %s is awaited, however long it was ready', (_, more) => {
  expect(predecessorWait({...staging, ...more}, NOW)).toMatchObject({until: undefined})
})

/** Environments by the names after which they come. */
function finding(after: Readonly<Record<string, readonly string[]>>) {
  const environment = (name: string): EnvironmentObject => ({
    metadata: {name},
    spec: {source: {configMap: name}, after: after[name]!.map((each) => ({environment: each}))},
  })
  const find = (name: string) => (after[name] ? environment(name) : undefined)
  return (name: string) => expectNoCycle(environment(name), find)
}

it('a cycle is refused with its path, and an Environment that waits for one is not', () => {
  const check = finding({a: ['x', 'b'], b: ['c'], c: ['a'], d: ['a']})

  expect(() => check('a')).toThrow('spec.after of Environments forms a cycle: a after b after c after a')
  expect(() => check('c')).toThrow('c after a after b after c')
  expect(() => check('d')).not.toThrow()
})

it('several paths to one Environment are no cycle', () => {
  const check = finding({a: ['b', 'c'], b: ['d'], c: ['d'], d: []})

  expect(() => check('a')).not.toThrow()
})
