import {describe, expect, it} from 'vitest'
import {
  annotatedRelease,
  hookDeletePolicies,
  hookEvents,
  hookWeight,
  isHook,
  isKept,
  isTestHook,
} from '../../src/cluster/helm-annotations.ts'

const annotated = (annotations?: Readonly<Record<string, string>>) => ({
  metadata: {name: 'a', ...(annotations && {annotations})},
})
const hook = (events: string) => annotated({'helm.sh/hook': events})

describe('the annotations of a hook', () => {
  it.each([
    ['pre-install', ['pre-install']],
    ['Post-Install', ['post-install']],
    [' PRE-UPGRADE ,\tPost-Upgrade', ['pre-upgrade', 'post-upgrade']],
  ])('helm.sh/hook: %j names the events %j', (text, events) => {
    expect(hookEvents(hook(text))).toEqual(events)
  })

  it('an object without helm.sh/hook has no events, and is no hook', () => {
    const object = annotated({'helm.sh/hook-weight': '1'})

    expect([hookEvents(object), isHook(object), isHook(hook('test'))]).toEqual([[], false, true])
  })

  it.each([
    ['test', true],
    ['Test-Success', true],
    ['post-install, TEST', true],
    ['post-install', false],
  ])('helm.sh/hook: %j is a test: %j', (events, expected) => {
    expect(isTestHook(hook(events))).toBe(expected)
  })

  it.each([
    ['-5', -5],
    ['+3', 3],
    ['010', 10],
    ['', 0],
    [' 5', 0],
    ['1.5', 0],
    ['0x10', 0],
    ['high', 0],
  ])('helm.sh/hook-weight: %j weighs %d', (text, weight) => {
    expect(hookWeight(annotated({'helm.sh/hook-weight': text}))).toBe(weight)
  })

  it('a hook without a weight weighs 0', () => {
    expect(hookWeight(hook('test'))).toBe(0)
  })

  it('delete policies are read without regard to case and spaces', () => {
    const object = annotated({'helm.sh/hook-delete-policy': 'Before-Hook-Creation, hook-succeeded '})

    expect(hookDeletePolicies(object)).toEqual(['before-hook-creation', 'hook-succeeded'])
  })
})

it.each([
  ['keep', true],
  [' Keep ', true],
  ['delete', false],
])('helm.sh/resource-policy: %j keeps the object: %j', (policy, expected) => {
  expect(isKept(annotated({'helm.sh/resource-policy': policy}))).toBe(expected)
})

it.each([
  [{'meta.helm.sh/release-name': 'db', 'meta.helm.sh/release-namespace': 'infra'}, 'infra/db', 'infra/db'],
  [{'meta.helm.sh/release-name': 'db'}, undefined, 'home/db'],
  [{'meta.helm.sh/release-namespace': 'infra'}, undefined, undefined],
])(
  'the marks %j name the release %s, and %s where the namespace is known',
  (annotations, alone, withHome) => {
    expect([annotatedRelease({annotations}), annotatedRelease({annotations}, 'home')]).toEqual([
      alone,
      withHome,
    ])
  },
)
