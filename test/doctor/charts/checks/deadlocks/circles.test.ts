import {expect, it} from 'vitest'
import {deadlocks} from '../../../../../src/doctor/charts/checks/deadlocks/deadlocks.ts'
import type {KubernetesObject} from '../../../../../src/kubernetes/manifest/kubernetes-object.ts'
import {env} from '../../../../prepare/inference/manifests/manifests.ts'

type Waits = Readonly<Record<string, string>>

/**
 * A workload whose pods have the label `app: NAME`, and wait; `hook` is a hook and its weight: `post-install
 * 5`.
 */
function pods(kind: 'Job' | 'Deployment', name: string, waits: Waits = {}, hook?: string): KubernetesObject {
  const [stage, weight = '0'] = hook?.split(' ') ?? []
  const annotations = {'helm.sh/hook': stage!, 'helm.sh/hook-weight': weight}
  const spec = {initContainers: [{name: 'init', ...env(waits)}], containers: [{name: 'main'}]}
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: {name, ...(hook !== undefined && {annotations})},
    spec: {template: {metadata: {labels: {app: name}}, spec}},
  }
}

/** Of the pods of the same name. */
function service(name: string, spec: object = {}): KubernetesObject {
  return {apiVersion: 'v1', kind: 'Service', metadata: {name}, spec: {selector: {app: name}, ...spec}}
}

function saidOf(releases: Readonly<Record<string, readonly KubernetesObject[]>>): readonly string[] {
  const examined = Object.entries(releases).map(([name, objects]) => ({
    release: `openstack/${name}` as const,
    objects: objects.map((object) => ({object, file: 'x'})),
    atFirst: [],
    again: [],
    next: [],
  }))
  return deadlocks(examined).map(({level, what, advice}) => `${level}: ${what} → ${advice}`)
}

it('a hook that waits for pods that wait for a later hook is a deadlock', () => {
  const objects = [
    service('api'),
    pods('Deployment', 'api', {DEPENDENCY_JOBS: 'late'}),
    pods('Job', 'boot', {DEPENDENCY_SERVICE: 'api'}, 'post-install 1'),
    pods('Job', 'late', {}, 'post-install 5'),
  ]

  expect(saidOf({web: objects})).toEqual([
    'problem: the hook Job/boot never ends: Job/boot waits for Service/api (init container init, DEPENDENCY_SERVICE api); the pods behind Service/api are those of Deployment/api; Deployment/api waits for Job/late (init container init, DEPENDENCY_JOBS late); helm creates Job/late only after Job/boot has ended → give Job/late a lower helm.sh/hook-weight than Job/boot',
  ])
})

it('hooks of two releases that wait for later objects of each other are a deadlock', () => {
  const release = (name: string, other: string) => [
    service(name),
    pods('Deployment', name),
    pods('Job', `${name}-init`, {DEPENDENCY_SERVICE: other}, 'pre-install'),
  ]

  const said = saidOf({a: release('a', 'b'), b: release('b', 'a')})

  expect(said).toEqual([
    expect.stringMatching(
      /^problem: the hook Job\/a-init never ends: .*helm creates Service\/b of b only after Job\/b-init of b has ended; .* → make Job\/a-init a post-install hook$/,
    ),
    expect.stringMatching(/^problem: the hook Job\/b-init never ends/),
  ])
})

it('a hook that waits for another release whose pods wait for objects after the hook is a deadlock', () => {
  const said = saidOf({
    hooked: [
      service('hooked'),
      pods('Deployment', 'hooked'),
      pods('Job', 'before', {DEPENDENCY_SERVICE: 'other'}, 'pre-install'),
    ],
    other: [service('other'), pods('Deployment', 'other', {DEPENDENCY_SERVICE: 'hooked'})],
  })

  expect(said).toEqual([
    expect.stringContaining('helm creates Service/hooked only after Job/before has ended'),
  ])
})

it('a hook that waits for itself is a deadlock', () => {
  expect(saidOf({web: [pods('Job', 'self', {DEPENDENCY_JOBS: 'self'}, 'post-install')]})).toEqual([
    expect.stringMatching(/Job\/self waits for itself .* → remove the wait for Job\/self from it$/),
  ])
})

it('every hook of a release that waits for later objects is reported, not only the first', () => {
  const wait = {DEPENDENCY_SERVICE: 'api'}

  const said = saidOf({
    web: [
      service('api'),
      pods('Job', 'one', wait, 'pre-install 1'),
      pods('Job', 'two', wait, 'pre-install 2'),
    ],
  })

  expect(said).toEqual([expect.stringContaining('Job/one never'), expect.stringContaining('Job/two never')])
})

it.each([
  [
    'pods that wait for an earlier hook',
    [
      service('api'),
      pods('Deployment', 'api', {DEPENDENCY_JOBS: 'early'}),
      pods('Job', 'early', {}, 'pre-install'),
      pods('Job', 'boot', {DEPENDENCY_SERVICE: 'api'}, 'post-install'),
    ],
  ],
  [
    'a Service that serves before its pods are ready',
    [
      service('api', {publishNotReadyAddresses: true}),
      pods('Deployment', 'api', {DEPENDENCY_JOBS: 'boot'}),
      pods('Job', 'boot', {DEPENDENCY_SERVICE: 'api'}, 'post-install'),
    ],
  ],
  [
    'a Service with other pods',
    [
      service('api', {selector: {}}),
      pods('Deployment', 'api', {DEPENDENCY_JOBS: 'boot'}),
      pods('Job', 'boot', {DEPENDENCY_SERVICE: 'api'}, 'post-install'),
    ],
  ],
  ['an object that no release makes', [pods('Job', 'boot', {DEPENDENCY_SERVICE: 'nothing'}, 'post-install')]],
])('no deadlock is reported for %s', (_, objects) => {
  expect(saidOf({web: objects}).filter((said) => said.startsWith('problem'))).toEqual([])
})

it('no deadlock is reported for releases whose pods wait for each other, with a hook for one of them', () => {
  const said = saidOf({
    a: [
      service('a'),
      pods('Deployment', 'a'),
      pods('Job', 'boot', {DEPENDENCY_SERVICE: 'b'}, 'post-install'),
    ],
    b: [service('b'), pods('Deployment', 'b', {DEPENDENCY_SERVICE: 'a'})],
  })

  expect(said).toEqual([])
})
