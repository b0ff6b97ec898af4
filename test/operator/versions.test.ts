import {expect, it} from 'vitest'
import type {ApiServer} from '../../src/kubernetes/api/api-server.ts'
import {crdManifest} from '../../src/operator/crds/crd.ts'
import {ENVIRONMENT, type EnvironmentObject} from '../../src/operator/crds/environment.ts'
import {expectKnownFields, expectServed, isNewerInstalled} from '../../src/operator/crds/versions.ts'
import {port} from '../kubernetes/support/port.ts'

const serving = (...kinds: readonly string[]) => ({
  apiServer: port<ApiServer>({customKinds: async () => kinds}),
})

it.each([
  ['no Environments at all', ['example.org/v1', 'example.org/v1/Environment']],
  ['them as this kk knows them', ['kk.openstack.org/v1alpha1/Environment']],
  [
    'them in a later version, too',
    ['kk.openstack.org/v1/Environment', 'kk.openstack.org/v1alpha1/Environment'],
  ],
])('a cluster that serves %s is fine', async (_, kinds) => {
  await expect(expectServed(serving(...kinds).apiServer)).resolves.toBeUndefined()
})

it('a cluster that serves Environments only in later versions is refused', async () => {
  const kinds = ['v1', 'v1beta1'].map((version) => `kk.openstack.org/${version}/Environment`)

  await expect(expectServed(serving(...kinds).apiServer)).rejects.toMatchObject({
    code: 'KK_KINDS',
    exit: 3,
    message: expect.stringContaining('Environments as kk.openstack.org/v1, kk.openstack.org/v1beta1, and'),
  })
})

it.each([
  ['a newer kk', {'app.kubernetes.io/version': '1.10.0'}, true],
  ['the same kk', {'app.kubernetes.io/version': '1.9.0'}, false],
  ['an older kk', {'app.kubernetes.io/version': '1.9.0-rc.1'}, false],
  ['a kk that did not say which it was', undefined, false],
])('a CRD that %s has written is newer: %o %s', async (_, labels, expected) => {
  const objects = {read: async <T>() => ({metadata: {labels}}) as T}

  expect(await isNewerInstalled(crdManifest(ENVIRONMENT, '1.9.0'), objects)).toBe(expected)
})

const environment = (spec: object) =>
  ({metadata: {name: 'production'}, spec: {source: {configMap: 'a'}, ...spec}}) as EnvironmentObject

it('an Environment with only known fields is accepted', () => {
  const drift = {mode: 'correct', ignore: [{paths: ['/spec/replicas'], target: {kind: 'Deployment'}}]}

  expect(() =>
    expectKnownFields(environment({drift, suspend: false, approval: {required: ['upgrade']}}), ENVIRONMENT),
  ).not.toThrow()
})

it.each([
  ['a field', {sticky: true}, 'spec.sticky'],
  ['a field of an item', {drift: {ignore: [{paths: ['/a'], since: 'now'}]}}, 'spec.drift.ignore[].since'],
  ['a value', {deletionPolicy: 'Remove'}, 'spec.deletionPolicy: Remove'],
  ['a value in a list', {approval: {required: ['upgrade', 'remove']}}, 'spec.approval.required[]: remove'],
])('an Environment with %s that is unknown is refused', (_, spec, unknown) => {
  expect(() => expectKnownFields(environment(spec), ENVIRONMENT)).toThrow(
    `this kk does not know ${unknown} of the Environment production`,
  )
})
