import {describe, expect, test} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {imageChanges, imagesOf} from '../../../src/plan/changes/images.ts'

function workload(kind: string, name: string, image: string): KubernetesObject {
  const pod = {initContainers: [{name: 'wait', image: 'wait:1'}], containers: [{name: 'main', image}]}
  const template = {spec: pod}
  const spec = kind === 'CronJob' ? {jobTemplate: {spec: {template}}} : kind === 'Pod' ? pod : {template}
  return {apiVersion: 'v1', kind, metadata: {name}, spec}
}

test.each(['Deployment', 'CronJob', 'Pod'])('a %s has the images of all its containers', (kind) => {
  expect(Object.fromEntries(imagesOf([workload(kind, 'api', 'api:1')]))).toEqual({
    [`${kind}/api/wait`]: 'wait:1',
    [`${kind}/api/main`]: 'api:1',
  })
})

describe('a change of images', () => {
  const before = [workload('Deployment', 'api', 'api:1'), workload('Job', 'sync-0123abcd', 'sync:1')]

  test('is reported by container', () => {
    const after = [workload('Deployment', 'api', 'api:2')]

    expect(imageChanges(before, after)).toEqual([
      {container: 'Deployment/api/main', from: 'api:1', to: 'api:2'},
    ])
  })

  test('is detected in a Job whose name changes with it', () => {
    const after = [workload('Job', 'sync-89abcdef', 'sync:2')]

    expect(imageChanges(before, after)).toEqual([{container: 'Job/sync/main', from: 'sync:1', to: 'sync:2'}])
  })

  test('excludes a new container with an image that the release already uses', () => {
    expect(imageChanges(before, [workload('Deployment', 'worker', 'api:1')])).toEqual([])
  })

  test('includes a new container with a new image', () => {
    expect(imageChanges(before, [workload('Deployment', 'worker', 'worker:1')])).toMatchObject([
      {container: 'Deployment/worker/main', from: undefined},
    ])
  })
})
