import {expect, it} from 'vitest'
import type {RenderedObject} from '../../../../src/charts/manifests/rendered-objects.ts'
import type {KubernetesObject} from '../../../../src/cluster/cluster.ts'
import {deadlocks} from '../../../../src/verbs/charts/doctor/checks/deadlocks.ts'
import {env, workload} from '../../../charts-reading/manifests/manifests.ts'

/** A Job that waits for the Job `other`; `hook` is a hook and its weight: `pre-install 5`. */
function waiting(hook: string | undefined): KubernetesObject {
  const init = env({DEPENDENCY_JOBS: 'other'})
  return JSON.parse(
    workload({kind: 'Job', init, ...(hook !== undefined && {annotations: annotations(hook)})}),
  )
}

function other(hook: string | undefined): KubernetesObject {
  const job = JSON.parse(workload({kind: 'Job', ...(hook !== undefined && {annotations: annotations(hook)})}))
  return {...job, metadata: {...job.metadata, name: 'other'}}
}

function annotations(hook: string): object {
  const [name, weight = '0'] = hook.split(' ')
  return {'helm.sh/hook': name, 'helm.sh/hook-weight': weight}
}

it.each([
  ['pre-install', undefined, ['problem']],
  ['pre-install', 'post-install', ['problem']],
  ['pre-install 1', 'pre-install 5', ['problem']],
  ['post-install 1', 'post-install 5', ['problem']],
  [undefined, 'post-install', ['info']],
  ['pre-install 5', 'pre-install 1', []],
  ['post-install', undefined, []],
  ['post-install', 'pre-install', []],
  ['pre-upgrade', undefined, []],
  [undefined, undefined, []],
] as const)('a Job (%s) that waits for another (%s): %j', (hook, others, levels) => {
  const objects: readonly RenderedObject[] = [waiting(hook), other(others)].map((object) => ({
    object,
    file: 'x',
  }))

  const found = deadlocks({release: 'openstack/a', objects, again: [], next: []})

  expect(found.map(({level}) => level)).toEqual(levels)
})
