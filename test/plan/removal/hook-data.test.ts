import {expect, test} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {dataOfHooks} from '../../../src/plan/removal/hook-data.ts'

const hook = (kind: string, events: string, policy?: string, spec: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name: 'a',
    annotations: {
      'helm.sh/hook': events,
      ...(policy !== undefined && {'helm.sh/hook-delete-policy': policy}),
    },
  },
  spec,
})
const CLAIM = 'PersistentVolumeClaim'

test.each([
  ['upgrade', hook(CLAIM, 'pre-install,pre-upgrade'), 1],
  ['upgrade', hook('Namespace', 'post-upgrade'), 1],
  ['upgrade', hook(CLAIM, 'pre-install'), 0],
  ['install', hook(CLAIM, 'pre-install'), 1],
  ['rollback', hook(CLAIM, 'pre-rollback'), 1],
  ['remove', hook(CLAIM, 'pre-delete'), 1],
  ['test', hook(CLAIM, 'test-success'), 1],
  ['upgrade', hook(CLAIM, 'pre-upgrade', 'hook-succeeded'), 1],
  ['upgrade', hook(CLAIM, 'pre-upgrade', 'never'), 0],
  ['upgrade', hook('ConfigMap', 'pre-upgrade'), 0],
  ['upgrade', hook('CustomResourceDefinition', 'pre-upgrade'), 0],
  ['upgrade', hook('StatefulSet', 'pre-upgrade'), 0],
  [
    'upgrade',
    hook('StatefulSet', 'pre-upgrade', undefined, {
      persistentVolumeClaimRetentionPolicy: {whenDeleted: 'Delete'},
    }),
    1,
  ],
] as const)('in an %s helm deletes data of the hook %j: %d', (verb, object, count) => {
  expect(dataOfHooks([object], verb)).toHaveLength(count)
})
