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

  test('is told by container', () => {
    const after = [workload('Deployment', 'api', 'api:2')]

    expect(imageChanges(before, after)).toEqual([
      {container: 'Deployment/api/main', from: 'api:1', to: 'api:2'},
    ])
  })

  test('is found in a Job that has another name because of it', () => {
    const after = [workload('Job', 'sync-89abcdef', 'sync:2')]

    expect(imageChanges(before, after)).toEqual([{container: 'Job/sync/main', from: 'sync:1', to: 'sync:2'}])
  })

  test('is not a new container with a known image', () => {
    expect(imageChanges(before, [workload('Deployment', 'worker', 'api:1')])).toEqual([])
  })

  test('is a new container with an image of its own', () => {
    expect(imageChanges(before, [workload('Deployment', 'worker', 'worker:1')])).toMatchObject([
      {container: 'Deployment/worker/main', from: undefined},
    ])
  })
})
