import {expect, test} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {claimsOfSets, deletedObject, splitObjects} from '../../../src/plan/removal/objects.ts'

function object(kind: string, name: string, annotations: Readonly<Record<string, string>> = {}) {
  return {apiVersion: 'v1', kind, metadata: {name, annotations}}
}

test('helm deletes the manifest of the last revision, and leaves all other objects', () => {
  const manifest = [
    object('Secret', 'mariadb'),
    object('Secret', 'kept', {'helm.sh/resource-policy': ' Keep '}),
    object('Secret', 'no-word-of-helm', {'helm.sh/resource-policy': 'delete'}),
  ]

  const {deleted: goes, stays} = splitObjects({
    manifest,
    hooks: [object('Job', 'bootstrap')],
    crds: [object('CustomResourceDefinition', 'users')],
    earlier: [object('Secret', 'mariadb'), object('ConfigMap', 'of-revision-1'), object('Job', 'bootstrap')],
  })

  expect(goes.map(({metadata}) => metadata.name)).toEqual(['mariadb'])
  expect(stays.map(({object: {metadata}, why}) => [metadata.name, why])).toEqual([
    ['kept', 'keep'],
    ['no-word-of-helm', 'keep'],
    ['bootstrap', 'hook'],
    ['users', 'crd'],
    ['of-revision-1', 'earlier'],
  ])
})

test.each([
  ['post-install', undefined, 'hook'],
  ['pre-delete', 'before-hook-creation,hook-succeeded', 'hook'],
  ['pre-delete', 'before-hook-creation', 'removal-hook'],
  ['post-install, Post-Delete', undefined, 'removal-hook'],
  ['post-delete', 'hook-failed', 'removal-hook'],
])('a hook of %s with the policy %s stays as a %s', (event, policy, why) => {
  const hook = object('Job', 'tidy', {
    'helm.sh/hook': event,
    ...(policy !== undefined && {'helm.sh/hook-delete-policy': policy}),
  })

  const {stays} = splitObjects({manifest: [], hooks: [hook], crds: [], earlier: []})

  expect(stays).toEqual([{object: hook, why}])
})

test('a CRD that a hook of the removal creates stays, whatever its policy', () => {
  const annotations = {'helm.sh/hook': 'post-delete', 'helm.sh/hook-delete-policy': 'hook-succeeded'}
  const hook = object('CustomResourceDefinition', 'users', annotations)

  const {stays} = splitObjects({manifest: [], hooks: [hook], crds: [], earlier: []})

  expect(stays).toMatchObject([{why: 'removal-hook'}])
})

test.each([
  ['Namespace', 'with everything in it'],
  ['CustomResourceDefinition', 'with every object of its kind on the cluster'],
  ['PersistentVolumeClaim', 'with its data'],
])('a %s is deleted %s', (kind, what) => {
  expect(deletedObject(object(kind, 'a'), 'openstack')).toEqual({
    kind,
    name: 'a',
    namespace: 'openstack',
    with: what,
  })
})

const labels = {app: 'mariadb'}
const set = (more: object = {}): KubernetesObject => ({
  ...object('StatefulSet', 'mariadb'),
  spec: {
    selector: {matchLabels: labels},
    volumeClaimTemplates: [{metadata: {name: 'data'}}, {metadata: {name: 'log'}}],
    ...more,
  },
})
const claim = (name: string, more: object = {}) => ({
  namespace: 'openstack',
  name,
  uid: name,
  labels,
  ...more,
})

test('the claims of a StatefulSet are those that its templates name and its selector labels', () => {
  const claims = [
    claim('data-mariadb-0'),
    claim('log-mariadb-11'),
    claim('data-mariadb-backup'),
    claim('data-mariadb-backup-0'),
    claim('cache-mariadb-0'),
    claim('data-mariadb-1', {labels: {app: 'other'}}),
    claim('data-mariadb-2', {namespace: 'elsewhere'}),
  ]

  const found = claimsOfSets([set()], claims, 'openstack')

  expect(found.map(({claim: {name}, isDeleted: goes}) => [name, goes])).toEqual([
    ['data-mariadb-0', false],
    ['log-mariadb-11', false],
  ])
})

test('the claims of a StatefulSet are deleted with it if its retention policy requires that', () => {
  const sets = [set({persistentVolumeClaimRetentionPolicy: {whenDeleted: 'Delete'}})]

  const found = claimsOfSets(sets, [claim('data-mariadb-0')], 'openstack')

  expect(found).toMatchObject([{isDeleted: true}])
})
