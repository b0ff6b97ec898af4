import {expect, it} from 'vitest'
import {droppedHolders} from '../../../src/plan/leftovers/dropped.ts'

const WAY = {namespace: 'openstack', verb: 'upgrade'} as const

function object(kind: string, name: string, namespace?: string) {
  return {apiVersion: 'v1', kind, metadata: {name, ...(namespace !== undefined && {namespace})}}
}

it('dropped holders are the objects whose kind and name the next revision lacks, each once', () => {
  const data = object('PersistentVolumeClaim', 'data')
  const before = [
    data,
    data,
    object('PersistentVolumeClaim', 'stays'),
    object('PersistentVolumeClaim', 'stays', 'elsewhere'),
    object('Secret', 'gone'),
    object('Namespace', 'inner'),
    object('StatefulSet', 'server'),
    object('CustomResourceDefinition', 'caches.example.org'),
    object('Deployment', 'api'),
  ]
  const after = [object('PersistentVolumeClaim', 'stays', 'openstack'), object('Secret', 'data')]

  const dropped = droppedHolders(before, after, WAY)

  expect(dropped.map(({metadata: {name, namespace}}) => [name, namespace])).toEqual([
    ['data', undefined],
    ['stays', 'elsewhere'],
    ['inner', undefined],
    ['server', undefined],
    ['caches.example.org', undefined],
  ])
})

it('an object that is only a hook in the next revision is dropped', () => {
  const data = object('PersistentVolumeClaim', 'data')
  const hook = {...data, metadata: {...data.metadata, annotations: {'helm.sh/hook': 'post-install'}}}

  expect(droppedHolders([data], [hook], WAY)).toEqual([data])
})

it('an object that a hook of the upgrade deletes is not among the dropped holders', () => {
  const data = object('PersistentVolumeClaim', 'data')
  const hook = {...data, metadata: {...data.metadata, annotations: {'helm.sh/hook': 'pre-upgrade'}}}

  expect(droppedHolders([data], [hook], WAY)).toEqual([])
  expect(droppedHolders([data], [hook], {...WAY, verb: 'rollback'})).toEqual([data])
})
