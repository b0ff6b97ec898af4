import {describe, expect, it} from 'vitest'
import {
  hookDeletePolicies,
  hookEvents,
  hookWeight,
  isHook,
  isKeptAtUninstall,
  isKeptInUpgrade,
  isTestHook,
} from '../../../src/kubernetes/manifest/helm-view.ts'
import {parseManifest} from '../../../src/kubernetes/manifest/manifest.ts'

const annotated = (annotations?: Readonly<Record<string, string>>) => ({
  kind: 'Job',
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

  it('an object without helm.sh/hook has no events, and is not a hook', () => {
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
  [undefined, ['before-hook-creation']],
  ['hook-failed', ['hook-failed']],
])('a hook with the delete policy %s is deleted by %j', (policy, policies) => {
  const object = annotated({
    'helm.sh/hook': 'test',
    ...(policy !== undefined && {'helm.sh/hook-delete-policy': policy}),
  })

  expect(hookDeletePolicies(object)).toEqual(policies)
})

it('a hook that is a CustomResourceDefinition is never deleted', () => {
  const object = {
    ...annotated({'helm.sh/hook-delete-policy': 'hook-succeeded'}),
    kind: 'CustomResourceDefinition',
  }

  expect(hookDeletePolicies(object)).toEqual([])
})

it('an unknown event does not make an object a hook', () => {
  expect([isHook(hook('crd-install')), isHook(hook('pre-install,later'))]).toEqual([false, false])
})

it.each([
  ['keep', true, true],
  [' Keep ', true, false],
  ['delete', true, false],
  ['', true, false],
  [undefined, false, false],
])(
  'helm.sh/resource-policy: %j has an uninstall leave the object: %j, and an upgrade without it: %j',
  (policy, atUninstall, inUpgrade) => {
    const object = annotated(policy === undefined ? {} : {'helm.sh/resource-policy': policy})

    expect([isKeptAtUninstall(object), isKeptInUpgrade(object)]).toEqual([atUninstall, inUpgrade])
  },
)

describe('in a List', () => {
  const read = (list: string, item: string) =>
    parseManifest(`
apiVersion: v1
kind: List
metadata: {annotations: {${list}}}
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {${item}}}}
`)[0]!
  const HOOKED = '"helm.sh/hook": "post-install,test", "helm.sh/hook-weight": -5'
  const KEPT = '"helm.sh/resource-policy": keep'

  it('an item is neither a hook nor kept by its own annotations', () => {
    const item = read('', `${HOOKED}, ${KEPT}`)

    expect([hookEvents(item), hookWeight(item), isKeptAtUninstall(item)]).toEqual([[], 0, false])
  })

  it('an item is a hook, and kept, by the annotations of the List', () => {
    const item = read(`${HOOKED}, ${KEPT}`, '')

    expect([hookEvents(item), hookWeight(item), isKeptAtUninstall(item)]).toEqual([
      ['post-install', 'test'],
      -5,
      true,
    ])
  })

  it('an item is kept in an upgrade by its own annotation', () => {
    expect([isKeptInUpgrade(read(KEPT, '')), isKeptInUpgrade(read('', KEPT))]).toEqual([false, true])
  })

  it('an item is sent to the cluster without the annotations of the List', () => {
    expect(JSON.parse(JSON.stringify(read(KEPT, '')))).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'a', annotations: {}},
    })
  })

  it('the annotations of the outermost List apply', () => {
    const [item] = parseManifest(`
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMapList
  metadata: {annotations: {${KEPT}}}
  items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}]
`)

    expect(isKeptAtUninstall(item!)).toBe(false)
  })
})

it('annotations that are not strings in YAML are read as strings', () => {
  const [object] = parseManifest(
    'apiVersion: v1\nkind: Secret\nmetadata: {name: a, annotations: {helm.sh/hook-weight: 7, helm.sh/resource-policy: true}}\n',
  )

  expect([hookWeight(object!), isKeptAtUninstall(object!)]).toEqual([7, true])
})
