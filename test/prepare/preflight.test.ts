import {expect, it} from 'vitest'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import type {ChangeVerb} from '../../src/plan/changes/change-verb.ts'
import type {Plan} from '../../src/plan/plan.ts'
import {expectSameImages} from '../../src/prepare/preflight.ts'
import {releaseId} from '../../src/release.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'

const release = releaseId('openstack', 'keystone')
const job = (image: string): KubernetesObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {name: 'sync'},
  spec: {template: {spec: {containers: [{name: 'sync', image}]}}},
})

/** A release whose one container has another image, which no name of a value says. */
function checked(verb: ChangeVerb, from: string, to: string): () => void {
  const stored: StoredRelease = {
    ...recordOf(desiredOf('keystone')),
    manifest: JSON.stringify(job(from)),
    values: {},
    hooks: [],
    chart: {name: 'keystone', version: '0.1.0', appVersion: ''},
    applyMethod: 'ssa',
  }
  const rendered = new Map([[release, [job(to)]]])
  return () => expectSameImages({plan: {} as Plan, rendered, previous: new Map([[release, [stored]]])}, verb)
}

it.each<[ChangeVerb, string, string, RegExp]>([
  [
    'update',
    'k:2025.1-debian',
    'k:2026.1-debian',
    /another release of OpenStack: Job\/sync\/sync k:2025\.1-debian →/,
  ],
  ['reconfigure', 'k:2025.1-debian', 'k:2025.1-ubuntu', /an image: Job\/sync\/sync k:2025\.1-debian →/],
])('kk %s refuses %s → %s', (verb, from, to, message) => {
  expect(checked(verb, from, to)).toThrow(message)
})

it.each<[ChangeVerb, string, string]>([
  ['update', 'k:2025.1-debian', 'k:2025.1-ubuntu'],
  ['update', 'k:one', 'k:2026.1'],
  ['upgrade', 'k:2025.1-debian', 'k:2026.1-debian'],
])('kk %s accepts %s → %s', (verb, from, to) => {
  expect(checked(verb, from, to)).not.toThrow()
})
