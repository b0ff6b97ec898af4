import {expect, it} from 'vitest'
import {claimedTwice} from '../../../../src/doctor/charts/checks/claimed-twice.ts'
import type {ExaminedRelease} from '../../../../src/doctor/charts/examined-release.ts'
import type {KubernetesObject} from '../../../../src/kubernetes/manifest/kubernetes-object.ts'

/** What is said where a release of `one` and a release of `two` both make this. */
function levelsOf(
  object: KubernetesObject,
  {file = 'x/templates/x.yaml', besides = [] as readonly object[]} = {},
) {
  const release = (name: string, objects: readonly object[]): ExaminedRelease => ({
    release: `${name}/${name}`,
    objects: objects.map((each) => ({object: each as KubernetesObject, file})),
    atFirst: [],
    secondRender: [],
    next: [],
  })
  const faults = claimedTwice([release('one', [object, ...besides]), release('two', [object])])
  return faults.map(({level}) => level)
}

const named = (apiVersion: string, kind: string, metadata: object = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: {name: 'x', ...metadata},
})
const definition = (scope: string) => ({
  ...named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {name: 'issuers.a.org'}),
  spec: {group: 'a.org', scope, names: {kind: 'Issuer', plural: 'issuers'}},
})

it.each([
  ['of a namespace', named('v1', 'ConfigMap', {namespace: 'same'}), ['problem']],
  ['of the whole cluster', named('storage.k8s.io/v1', 'CSIDriver'), ['problem']],
  ['of two namespaces', named('v1', 'ConfigMap'), []],
])('two releases that create the same object %s give %j', (_, object, levels) => {
  expect(levelsOf(object)).toEqual(levels)
})

it.each([
  ['Cluster', ['problem']],
  ['Namespaced', []],
])('two releases that create a custom resource of scope %s give %j', (scope, levels) => {
  expect(levelsOf(named('a.org/v1', 'Issuer'), {besides: [definition(scope)]})).toEqual(levels)
})

it('two releases with the same CRD in crds/ give only a warning, because helm skips the second', () => {
  expect(levelsOf(definition('Cluster'), {file: 'x/crds/x.yaml'})).toEqual(['warning'])
  expect(levelsOf(definition('Cluster'))).toEqual(['problem'])
})

it.each([
  [[named('v1', 'ConfigMap'), named('v1', 'ConfigMap')], ['warning']],
  [[named('v1', 'ConfigMap'), {...named('v1', 'ConfigMap'), data: {a: '1'}}], ['problem']],
  [[named('v1', 'ConfigMap'), named('v1', 'Secret')], []],
  [[named('v1', 'ConfigMap'), named('v1', 'ConfigMap', {annotations: {'helm.sh/hook': 'pre-install'}})], []],
])('one release with the objects %j gives %j', (objects, levels) => {
  const release = {release: 'one/one', objects: objects.map((object) => ({object, file: 'x.yaml'}))} as const

  const faults = claimedTwice([release])

  expect(faults.map(({level}) => level)).toEqual(levels)
})
