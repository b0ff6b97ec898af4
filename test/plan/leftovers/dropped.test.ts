import {expect, it} from 'vitest'
import {droppedClaims} from '../../../src/plan/leftovers/dropped.ts'

function object(kind: string, name: string, namespace?: string) {
  return {apiVersion: 'v1', kind, metadata: {name, ...(namespace !== undefined && {namespace})}}
}

it('claims that a revision has no more are those that no claim of it bears the name of, each once', () => {
  const data = object('PersistentVolumeClaim', 'data')
  const before = [
    data,
    data,
    object('PersistentVolumeClaim', 'stays'),
    object('PersistentVolumeClaim', 'stays', 'elsewhere'),
    object('Secret', 'gone'),
  ]
  const after = [object('PersistentVolumeClaim', 'stays', 'openstack'), object('Secret', 'data')]

  const dropped = droppedClaims(before, after, 'openstack')

  expect(dropped.map(({metadata: {name, namespace}}) => [name, namespace])).toEqual([
    ['data', undefined],
    ['stays', 'elsewhere'],
  ])
})
