import {expect, it} from 'vitest'
import {
  fieldsForHelm,
  helmReleaseOf,
  type ManagedFields,
} from '../../../src/kubernetes/objects/helm-release.ts'

const FLUX: ManagedFields = {
  ...{manager: 'helm-controller', operation: 'Apply', apiVersion: 'apps/v1', fieldsType: 'FieldsV1'},
  fieldsV1: {
    'f:metadata': {'f:labels': {'f:app': {}, 'f:helm.toolkit.fluxcd.io/name': {}}},
    'f:spec': {'f:replicas': {}},
  },
}
const HELM: ManagedFields = {
  ...{manager: 'helm', operation: 'Apply', apiVersion: 'apps/v1', fieldsType: 'FieldsV1'},
  fieldsV1: {'f:metadata': {'f:labels': {'f:app': {}, 'f:old': {}}}},
}
const STATUS: ManagedFields = {
  ...{manager: 'helm-controller', operation: 'Apply', apiVersion: 'apps/v1', subresource: 'status'},
  fieldsV1: {'f:status': {}},
}
const EDIT: ManagedFields = {
  ...{manager: 'kubectl-edit', operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1'},
  fieldsV1: {'f:spec': {'f:paused': {}}},
}

it("fields that Flux applied become helm's; other managers keep theirs", () => {
  expect(fieldsForHelm([EDIT, FLUX, STATUS])).toEqual([EDIT, STATUS, {...FLUX, manager: 'helm'}])
})

it("fields that Flux applied are merged with helm's own", () => {
  expect(fieldsForHelm([HELM, EDIT, FLUX])).toEqual([
    {
      ...HELM,
      fieldsV1: {
        'f:metadata': {'f:labels': {'f:app': {}, 'f:old': {}, 'f:helm.toolkit.fluxcd.io/name': {}}},
        'f:spec': {'f:replicas': {}},
      },
    },
    EDIT,
  ])
})

it('fields of another version are not merged', () => {
  const older = {...HELM, apiVersion: 'apps/v1beta1'}

  expect(fieldsForHelm([older, FLUX])).toEqual([older, {...FLUX, manager: 'helm'}])
})

it('an object without fields of Flux is not changed', () => {
  expect(fieldsForHelm([HELM, EDIT, STATUS])).toBeUndefined()
})

it('a manifest names its HelmRelease', () => {
  const labels = {'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'edge'}
  const object = {apiVersion: 'v1', kind: 'Service', metadata: {name: 'web', labels}}

  expect(helmReleaseOf([object])).toBe('HelmRelease edge/web')
  expect(helmReleaseOf([{...object, metadata: {name: 'web'}}])).toBeUndefined()
  expect(helmReleaseOf([])).toBeUndefined()
})
