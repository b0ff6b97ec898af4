import {describe, expect, it} from 'vitest'
import type {DryApply} from '../../../src/kubernetes/dry-run/dry-runs.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {type DriftContext, driftedObject} from '../../../src/plan/drift/drifted-object.ts'

const context: DriftContext = {namespace: 'openstack', scaled: [], redact: (text) => text}

function compared(
  kind: string,
  live: object,
  applied: object,
  conflicts: readonly [string, string][] = [],
): DryApply {
  const object: KubernetesObject = {apiVersion: 'v1', kind, metadata: {name: 'api'}}
  return {
    object,
    state: 'compared',
    live: {...object, ...live},
    applied: {...object, ...applied},
    conflicts: conflicts.map(([field, manager]) => ({field, manager})),
  }
}

const fields = (dry: DryApply, more: Partial<DriftContext> = {}) =>
  driftedObject(dry, {...context, ...more})?.fields

describe('a drifted object', () => {
  it.each([
    ['status', 'Deployment', {status: {replicas: 1}}, {status: {replicas: 2}}],
    [
      'generation',
      'Deployment',
      {metadata: {name: 'api', generation: 1}},
      {metadata: {name: 'api', generation: 2}},
    ],
    [
      'an injected certificate',
      'ValidatingWebhookConfiguration',
      {webhooks: [{name: 'a.b', clientConfig: {caBundle: 'x'}}]},
      {webhooks: [{name: 'a.b', clientConfig: {caBundle: ''}}]},
    ],
  ])('is none for %s', (_, kind, live, applied) => {
    expect(driftedObject(compared(kind, live, applied), context)).toBeUndefined()
  })

  it('ignores replicas if an autoscaler scales exactly this object', () => {
    const dry = compared('Deployment', {spec: {replicas: 5}}, {spec: {replicas: 2}})

    const scaler = {kind: 'Deployment', name: 'api', fromZero: false}

    expect(fields(dry, {scaled: [scaler]})).toBeUndefined()
    expect(fields(dry, {scaled: [{...scaler, name: 'other'}]})).toHaveLength(1)
  })

  it('includes replicas of 0, from which no autoscaler scales up', () => {
    const dry = compared('Deployment', {spec: {replicas: 0}}, {spec: {replicas: 2}})
    const scaler = {kind: 'Deployment', name: 'api'}

    expect(fields(dry, {scaled: [{...scaler, fromZero: false}]})).toHaveLength(1)
    expect(fields(dry, {scaled: [{...scaler, fromZero: true}]})).toBeUndefined()
  })

  it('names the manager of a field', () => {
    const dry = compared('Deployment', {spec: {replicas: 5}}, {spec: {replicas: 2}}, [
      ['.spec.replicas', 'kubectl-edit'],
    ])

    expect(fields(dry)).toEqual([{path: 'spec.replicas', live: 5, manifest: 2, manager: 'kubectl-edit'}])
  })

  it.each([
    ['Secret', {data: {a: 'eA=='}}, {data: {a: 'eQ=='}}, 'data.a'],
    ['Secret', {}, {data: {a: 'eQ=='}}, 'data'],
    ['ConfigMap', {data: {admin_password: 'x'}}, {data: {admin_password: 'y'}}, 'data.admin_password'],
    [
      'Pod',
      {env: [{name: 'DB_PASSWORD', value: 'x'}]},
      {env: [{name: 'DB_PASSWORD', value: 'y'}]},
      'env[DB_PASSWORD].value',
    ],
  ])('hides the values of a secret in a %s that differs', (kind, live, applied, path) => {
    expect(fields(compared(kind, live, applied))).toEqual([{path, masked: true}])
  })

  const known = {redact: (text: string) => text.replaceAll('known-secret', '***').replaceAll('424242', '***')}

  it.each<[string, unknown, unknown, unknown, unknown]>([
    ['a word', 'changed', 'known-secret', '***', '***'],
    ['a number', 17, 424242, '***', '***'],
    ['the other side', 'known-secret', 'changed', '***', '***'],
    ['a list', ['-p', 'changed'], ['-p', 'known-secret'], ['-p', '***'], ['-p', '***']],
    [
      'a line',
      'debug = on\nx = changed',
      'debug = on\nx = known-secret',
      'debug = on\n***',
      'debug = on\nx = ***',
    ],
    [
      'no line',
      'x = known-secret\ndebug = on',
      'x = known-secret\ndebug = off',
      'x = ***\ndebug = on',
      'x = ***\ndebug = off',
    ],
    ['nothing', 'one', 'other', 'one', 'other'],
  ])('masks the value that replaced a secret: %s', (_, live, manifest, shownLive, shownManifest) => {
    expect(fields(compared('ConfigMap', {data: {a: live}}, {data: {a: manifest}}), known)).toEqual([
      {path: 'data.a', live: shownLive, manifest: shownManifest},
    ])
  })

  it('masks secrets in whole files and subtrees, known or not', () => {
    const live = {data: {'a.conf': 'debug = true\npassword = hunter2'}}
    const applied = {data: {'a.conf': 'debug = known-secret'}, env: [{name: 'TOKEN', value: 'abc'}]}
    const redact = (text: string) => text.replaceAll('known-secret', '***')

    expect(JSON.stringify(fields(compared('ConfigMap', live, applied), {redact}))).not.toMatch(
      /hunter2|known-secret|abc/,
    )
  })
})
