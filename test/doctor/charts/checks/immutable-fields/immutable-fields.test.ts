import {expect, it} from 'vitest'
import {immutableFields} from '../../../../../src/doctor/charts/checks/immutable-fields/immutable-fields.ts'
import {identity} from '../../../../../src/doctor/charts/same-object.ts'
import type {KubernetesObject} from '../../../../../src/kubernetes/manifest/kubernetes-object.ts'

function object(kind: string, fields: object): KubernetesObject {
  return {apiVersion: 'v1', kind, metadata: {name: 'x'}, ...fields}
}

/**
 * What is said where this is deployed, and that is rendered; and where a cluster that was asked refuses
 * these.
 */
function saidOf(
  there: KubernetesObject,
  now: KubernetesObject,
  refused?: readonly KubernetesObject[],
): readonly string[] {
  const rendered = (each: KubernetesObject) => [{object: each, file: 'x/templates/x.yaml'}]
  const refusals = refused && new Map(refused.map((each) => [identity(each, 'openstack/x'), 'no']))
  const deployed = {revision: 3, objects: rendered(there), upgrade: rendered(now), refusals}
  return immutableFields({
    release: 'openstack/x',
    objects: rendered(now),
    atFirst: [],
    secondRender: [],
    next: rendered(now),
    deployed,
  }).map(({level, what}) => `${level} ${what}`)
}

const claims = (...templates: readonly object[]) => ({spec: {volumeClaimTemplates: templates}})

it.each([
  [
    'Deployment',
    {spec: {selector: {matchLabels: {a: '1'}}}},
    {spec: {selector: {matchLabels: {a: '2'}}}},
    'spec.selector',
  ],
  ['StatefulSet', {spec: {serviceName: 'a'}}, {spec: {}}, 'spec.serviceName'],
  ['StatefulSet', {}, {spec: {podManagementPolicy: 'Parallel'}}, 'spec.podManagementPolicy'],
  [
    'StatefulSet',
    claims({metadata: {name: 'data'}, spec: {storageClassName: 'a'}}),
    claims({metadata: {name: 'data'}, spec: {storageClassName: 'b'}}),
    'spec.volumeClaimTemplates',
  ],
  [
    'PersistentVolumeClaim',
    {spec: {accessModes: ['ReadWriteOnce']}},
    {spec: {accessModes: ['ReadWriteMany']}},
    'spec.accessModes',
  ],
  ['Secret', {}, {type: 'kubernetes.io/tls'}, 'type'],
  ['ConfigMap', {immutable: true, data: {a: '1'}}, {immutable: true, data: {a: '2'}}, 'data'],
  ['ConfigMap', {immutable: true}, {immutable: false}, 'immutable'],
  ['Secret', {immutable: true}, {}, 'immutable'],
  ['Service', {}, {spec: {clusterIP: 'None'}}, 'spec.clusterIP'],
  ['Job', {spec: {completions: 1}}, {spec: {completions: 3}}, 'spec.completions'],
  ['Pod', {spec: {containers: [{args: ['1']}]}}, {spec: {containers: [{args: ['2']}]}}, 'spec'],
  ['ClusterRoleBinding', {roleRef: {name: 'a'}}, {roleRef: {name: 'b'}}, 'roleRef'],
  ['PriorityClass', {value: 1}, {value: 2}, 'value'],
])('the immutable field of a %s, changed from %j to %j, is reported', (kind, there, now, path) => {
  expect(saidOf(object(kind, there), object(kind, now))).toEqual([
    `problem ${path} of ${kind}/x differs from the deployed revision 3, and cannot be changed: the upgrade fails`,
  ])
})

it.each([
  ['Deployment', {spec: {replicas: 1}}, {spec: {replicas: 2}}],
  ['StatefulSet', {}, {spec: {podManagementPolicy: 'OrderedReady'}}],
  [
    'StatefulSet',
    claims({metadata: {name: 'data'}, spec: {}}),
    claims({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {name: 'data'},
      spec: {volumeMode: 'Filesystem'},
    }),
  ],
  ['Secret', {}, {type: 'Opaque'}],
  ['ConfigMap', {data: {a: '1'}}, {data: {a: '2'}}],
  ['PersistentVolumeClaim', {}, {spec: {storageClassName: 'default'}}],
  ['Service', {spec: {clusterIP: ''}}, {spec: {type: 'NodePort'}}],
  ['Pod', {spec: {containers: [{image: '1'}]}}, {spec: {containers: [{image: '2'}]}}],
])('a change of a %s from %j to %j is accepted', (kind, there, now) => {
  expect(saidOf(object(kind, there), object(kind, now))).toEqual([])
})

const claim = (storageClassName?: string) => object('PersistentVolumeClaim', {spec: {storageClassName}})

it('an immutable field that a dry run accepts is not reported, except a removed field, which dry runs ignore', () => {
  expect(saidOf(claim('a'), claim('b'), [])).toEqual([])
  expect(saidOf(claim('a'), claim('b'), [claim('b')])).toHaveLength(1)
  expect(saidOf(claim('a'), claim(), [])).toHaveLength(1)
})

it('immutable fields of hooks are not reported, because helm re-creates hooks', () => {
  const hook = {metadata: {name: 'x', annotations: {'helm.sh/hook': 'pre-upgrade'}}}

  expect(saidOf(object('Secret', {...hook}), object('Secret', {...hook, type: 'a'}))).toEqual([])
})
