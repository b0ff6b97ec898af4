import {describe, expect, it} from 'vitest'
import {unhealthy} from '../../../src/kubernetes/gate/gate.ts'
import type {Cause} from '../../../src/kubernetes/gate/health.ts'

const cause = (name: string, more: Partial<Cause> = {}): Cause => ({
  object: `Deployment/${name}`,
  namespace: 'ns',
  message: 'm',
  ...more,
})

describe('the error of a failed gate', () => {
  it('names five and counts the rest', () => {
    const blames = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => cause(name))

    expect(unhealthy(blames, 'not healthy in time').message).toBe(
      'not healthy in time: Deployment/a: m · Deployment/b: m · Deployment/c: m · Deployment/d: m · Deployment/e: m · and 2 more',
    )
  })

  it('names the pod, its container and the reason before the object that waits for it', () => {
    const culprit = {pod: 'api-1', container: 'api', reason: 'CrashLoopBackOff', detail: 'back-off 10s'}

    expect(unhealthy([cause('api', culprit)], 'not healthy in time').message).toBe(
      'not healthy in time: pod api-1, container api: CrashLoopBackOff (back-off 10s); Deployment/api: m',
    )
  })

  it('carries the first log there is', () => {
    const error = unhealthy([cause('a', {log: []}), cause('b', {log: ['last words']})], 'why')

    expect(error).toMatchObject({code: 'KK_UNHEALTHY', exit: 1, log: ['last words']})
  })

  it.each<[string, Partial<Cause>, RegExp]>([
    ['an image', {reason: 'ErrImagePull'}, /image's name/],
    ['a node', {reason: 'Unschedulable'}, /nodes/],
    ['a crash', {reason: 'CrashLoopBackOff'}, /last lines/],
    ['configuration', {reason: 'CreateContainerConfigError'}, /ConfigMap or Secret/],
    ['a claim', {object: 'PersistentVolumeClaim/x', reason: 'Pending'}, /storage class/],
    ['a pod of which nothing is known', {pod: 'a-1'}, /kubectl describe pod a-1 -n ns/],
  ])('hints at what to do about %s', (_, more, hint) => {
    expect(unhealthy([cause('a', more)], 'why').hint).toMatch(hint)
  })
})
