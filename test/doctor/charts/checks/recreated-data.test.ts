import {expect, it} from 'vitest'
import {recreatedData} from '../../../../src/doctor/charts/checks/recreated-data.ts'

const claim = (annotations: Readonly<Record<string, string>>) => ({
  file: 'db/templates/claim.yaml',
  object: {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data', annotations}},
})
const faultsOf = (annotations: Readonly<Record<string, string>>) => {
  const objects = [claim(annotations)]
  return recreatedData({release: 'openstack/db', objects, atFirst: objects, secondRender: objects, next: []})
}

it('a claim that each upgrade deletes and re-creates is reported', () => {
  expect(faultsOf({'helm.sh/hook': 'pre-install,pre-upgrade'})).toMatchObject([
    {
      level: 'problem',
      object: 'PersistentVolumeClaim/data',
      file: 'db/templates/claim.yaml',
      what: 'PersistentVolumeClaim/data is an upgrade hook: each upgrade deletes it with its data, and re-creates it',
    },
  ])
})

it.each([
  [{}],
  [{'helm.sh/hook': 'pre-install'}],
  [{'helm.sh/hook': 'pre-upgrade', 'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded'}],
])('a claim with the annotations %j is not reported', (annotations) => {
  expect(faultsOf(annotations)).toEqual([])
})
