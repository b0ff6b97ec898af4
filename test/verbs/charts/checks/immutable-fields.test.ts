import {expect, it} from 'vitest'
import type {KubernetesObject} from '../../../../src/cluster/cluster.ts'
import {immutableFields} from '../../../../src/verbs/charts/doctor/checks/immutable-fields.ts'

function object(kind: string, fields: object): KubernetesObject {
  return {apiVersion: 'v1', kind, metadata: {name: 'x'}, ...fields}
}

/** What is said where this is deployed, and that is rendered. */
function saidOf(there: KubernetesObject, now: KubernetesObject): readonly string[] {
  const rendered = (each: KubernetesObject) => [{object: each, file: 'x/templates/x.yaml'}]
  const deployed = {revision: 3, objects: rendered(there), upgrade: rendered(now)}
  return immutableFields({
    release: 'openstack/x',
    objects: rendered(now),
    again: [],
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
  ['ClusterRoleBinding', {roleRef: {name: 'a'}}, {roleRef: {name: 'b'}}, 'roleRef'],
  ['PriorityClass', {value: 1}, {value: 2}, 'value'],
])('of a %s, %j cannot become %j', (kind, there, now, path) => {
  expect(saidOf(object(kind, there), object(kind, now))).toEqual([
    `problem ${path} of ${kind}/x is not as revision 3 has deployed it, and cannot be changed: the upgrade fails`,
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
])('of a %s, %j may become %j', (kind, there, now) => {
  expect(saidOf(object(kind, there), object(kind, now))).toEqual([])
})

it('is no matter of hooks, which helm makes anew', () => {
  const hook = {metadata: {name: 'x', annotations: {'helm.sh/hook': 'pre-upgrade'}}}

  expect(saidOf(object('Secret', {...hook}), object('Secret', {...hook, type: 'a'}))).toEqual([])
})
