import {describe, expect, it} from 'vitest'
import {definedKinds, isBuiltIn, listCustomKinds} from '../../../src/kubernetes/inventory/custom-kinds.ts'

const resource = (apiVersion: string, kind: string) => ({apiVersion, kind, plural: 'x', namespaced: true})

describe('custom kinds', () => {
  it('are the served kinds that are not built into Kubernetes', async () => {
    const all = async () => [
      resource('v1', 'Pod'),
      resource('apps/v1', 'Deployment'),
      resource('a.org/v1', 'Db'),
    ]

    expect(await listCustomKinds({all})).toEqual(['a.org/v1', 'a.org/v1/Db'])
  })

  it('are defined in every served version', () => {
    const spec = {
      group: 'a.org',
      names: {kind: 'Db'},
      versions: [{name: 'v1'}, {name: 'v2', served: true}, {name: 'v0', served: false}],
    }
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {name: 'dbs.a.org'},
      spec,
    }

    expect(definedKinds([definition, {...definition, kind: 'ConfigMap'}])).toEqual([
      'a.org/v1',
      'a.org/v1/Db',
      'a.org/v2',
      'a.org/v2/Db',
    ])
  })
})

it.each([
  ['v1', true],
  ['batch/v1', true],
  ['networking.k8s.io/v1', true],
  ['gateway.networking.k8s.io/v1', false],
  ['metrics.k8s.io/v1beta1', false],
  ['cluster.x-k8s.io/v1beta1', false],
  ['monitoring.coreos.com/v1', false],
])('%s is built in: %s', (apiVersion, expected) => {
  expect(isBuiltIn(apiVersion)).toBe(expected)
})
