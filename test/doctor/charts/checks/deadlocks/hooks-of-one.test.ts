import {expect, it} from 'vitest'
import {deadlocks} from '../../../../../src/doctor/charts/checks/deadlocks/deadlocks.ts'
import type {KubernetesObject} from '../../../../../src/kubernetes/manifest/kubernetes-object.ts'
import type {RenderedObject} from '../../../../../src/kubernetes/manifest/manifest.ts'
import {env, workload} from '../../../../prepare/inference/manifests/manifests.ts'

/** A Job `api` that waits for the Job `other`; `hook` is a hook and its weight: `pre-install 5`. */
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

/** A Job `api` with an account of this name; both are hooks of one weight. */
function withAccount(name: string): readonly KubernetesObject[] {
  const job = JSON.parse(
    workload({kind: 'Job', spec: {serviceAccountName: name}, annotations: annotations('pre-install')}),
  )
  const metadata = {name, annotations: annotations('pre-install')} as KubernetesObject['metadata']
  return [job, {apiVersion: 'v1', kind: 'ServiceAccount', metadata}]
}

function levelsOf(rendered: readonly KubernetesObject[]): readonly string[] {
  const objects: readonly RenderedObject[] = rendered.map((object) => ({object, file: 'x'}))
  return deadlocks([{release: 'openstack/a', objects}]).map(({level}) => level)
}

function annotations(hook: string): Record<string, string> {
  const [name = '', weight = '0'] = hook.split(' ')
  return {'helm.sh/hook': name, 'helm.sh/hook-weight': weight}
}

it.each([
  ['pre-install', undefined, ['problem']],
  ['pre-install', 'post-install', ['problem']],
  ['pre-install 1', 'pre-install 5', ['problem']],
  ['pre-install', 'pre-install', ['problem']],
  ['post-install 1', 'post-install 5', ['problem']],
  [undefined, 'post-install', ['info']],
  ['pre-install 5', 'pre-install 1', []],
  ['post-install', undefined, []],
  ['post-install', 'pre-install', []],
  ['post-upgrade 1', 'post-upgrade 5', ['problem']],
  ['post-upgrade 1', 'post-install 5', []],
  ['pre-upgrade', undefined, []],
  [undefined, undefined, []],
] as const)('a Job (%s) that waits for another Job (%s) gives %j', (hook, others, levels) => {
  expect(levelsOf([waiting(hook), other(others)])).toEqual(levels)
})

it.each([
  ['z', ['problem']],
  ['api', []],
  ['a', []],
])(
  'a hook that uses an account (%s) of the same weight, which helm creates by name order, gives %j',
  (name, levels) => {
    expect(levelsOf(withAccount(name))).toEqual(levels)
  },
)
