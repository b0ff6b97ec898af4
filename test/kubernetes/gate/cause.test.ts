import {expect, it} from 'vitest'
import {describeCause, redactHealth} from '../../../src/kubernetes/gate/cause.ts'
import type {Cause} from '../../../src/kubernetes/gate/health.ts'

const object = 'Deployment/api'

it.each<[Cause, string]>([
  [{object, message: '1 of 3 replicas are available'}, 'Deployment/api: 1 of 3 replicas are available'],
  [
    {
      object,
      message: '0 of 1 replicas are available',
      pod: 'api-1',
      container: 'api',
      reason: 'CrashLoopBackOff',
      detail: 'back-off 10s',
    },
    'Deployment/api: 0 of 1 replicas are available; pod api-1, container api: CrashLoopBackOff (back-off 10s)',
  ],
  [
    {
      object,
      message: '0 of 1 replicas are available',
      pod: 'api-1',
      reason: 'Unschedulable',
      detail: 'no node\n  fits',
    },
    'Deployment/api: 0 of 1 replicas are available; pod api-1: Unschedulable (no node fits)',
  ],
  [{object, message: 'it failed: Evicted', reason: 'Evicted'}, 'Deployment/api: it failed: Evicted'],
])('a cause reads as one line: %j', (cause, line) => {
  expect(describeCause(cause)).toBe(line)
})

it.each([
  ['the causes of a closed gate', {state: 'waiting', blames: [{object, message: 'exit 1: geheim'}]}],
  ['the notes of one that has passed', {state: 'healthy', notes: [{object, message: 'exit 1: geheim'}]}],
] as const)('%s are masked: they contain the last words of a container', (_, health) => {
  const redacted = redactHealth(health, (text) => text.replaceAll('geheim', '***'))

  expect(JSON.stringify(redacted)).toBe(JSON.stringify(health).replace('geheim', '***'))
})
