import {expect, test} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {objectChanges} from '../../../src/plan/changes/object-changes.ts'

function object(name: string, spec: object, namespace?: string): KubernetesObject {
  return {apiVersion: 'v1', kind: 'Service', metadata: {name, ...(namespace && {namespace})}, spec}
}

test('added, removed and changed objects are named; the order of objects and keys has no influence', () => {
  const before = [object('a', {x: 1, y: 2}), object('b', {}), object('c', {x: 1})]
  const after = [object('c', {x: 2}), object('a', {y: 2, x: 1}), object('d', {})]

  expect(objectChanges(before, after, 'openstack')).toEqual([
    {object: 'v1 Service openstack/c', change: 'changed'},
    {object: 'v1 Service openstack/d', change: 'added'},
    {object: 'v1 Service openstack/b', change: 'removed'},
  ])
})

test('an object that becomes a hook is removed and added, because helm deletes the one and creates the other', () => {
  const plain = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'settings'}}
  const hook = {...plain, metadata: {name: 'settings', annotations: {'helm.sh/hook': 'pre-upgrade'}}}
  const object = 'v1 ConfigMap openstack/settings'

  expect(objectChanges([plain], [hook], 'openstack')).toEqual([
    {object, change: 'added'},
    {object, change: 'removed'},
  ])
  expect(objectChanges([hook], [plain], 'openstack')).toEqual([{object, change: 'changed'}])
})
