import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {noticedBetween} from '../../../src/plan/forecast/impact.ts'

interface Pods {
  readonly image?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly replicas?: number
  readonly strategy?: object
}

function workload(kind: string, name: string, {image = 'one', annotations, replicas, strategy}: Pods = {}) {
  const template = {
    metadata: {labels: {component: name}},
    spec: {containers: [{name: 'main', image}]},
  }
  const spec = {...(replicas !== undefined && {replicas}), ...(strategy && {strategy}), template}
  return {apiVersion: 'apps/v1', kind, metadata: {name, ...(annotations && {annotations})}, spec}
}

const service = (name: string): KubernetesObject => ({
  ...{apiVersion: 'v1', kind: 'Service', metadata: {name}},
  spec: {selector: {component: name}},
})
const job = (name: string): KubernetesObject => ({
  ...{apiVersion: 'batch/v1', kind: 'Job', metadata: {name}},
  spec: {template: {spec: {containers: [{name: 'main', image: name}]}}},
})

/** What is noticed when this workload gets another image. */
function replacing(kind: string, pods: Pods, more: readonly KubernetesObject[] = []) {
  const before = workload(kind, 'api', pods)
  const after = workload(kind, 'api', {...pods, image: 'two'})
  return noticedBetween([before, service('api')], [after, service('api'), ...more])
}

const ROLLING = (maxUnavailable: unknown, maxSurge: unknown) => ({
  type: 'RollingUpdate',
  rollingUpdate: {maxUnavailable, maxSurge},
})

describe('what users notice while pods are replaced', () => {
  it.each<[string, string, Pods]>([
    ['one pod that is added before the old one goes', 'Deployment', {strategy: ROLLING(0, 1)}],
    ["Kubernetes' own strategy", 'Deployment', {replicas: 1}],
    ['two of three pods stay', 'Deployment', {replicas: 3, strategy: ROLLING(1, 0)}],
    ['three of four pods stay', 'Deployment', {replicas: 4, strategy: ROLLING('25%', 0)}],
    ['no pod is wanted', 'Deployment', {replicas: 0, strategy: {type: 'Recreate'}}],
    ['it says so', 'DaemonSet', {annotations: {'kk.openstack.org/users-notice': ''}}],
  ])('is nothing where %s', (_, kind, pods) => {
    expect(replacing(kind, pods).users).toEqual({impact: 'none', why: []})
  })

  it.each<[string, string, Pods, string]>([
    ['the only pod of a StatefulSet', 'StatefulSet', {}, 'StatefulSet api: its only pod is replaced'],
    [
      'the members of a StatefulSet',
      'StatefulSet',
      {replicas: 3},
      'StatefulSet api: its members are replaced one after the other',
    ],
    [
      'a pod that ends before the new one starts',
      'Deployment',
      {strategy: {type: 'Recreate'}},
      'Deployment api: no pod of it runs until a new one is ready',
    ],
    [
      'all pods at once',
      'Deployment',
      {replicas: 3, strategy: ROLLING('100%', 0)},
      'Deployment api: no pod of it runs until a new one is ready',
    ],
    [
      'a pod per node behind a Service',
      'DaemonSet',
      {},
      'DaemonSet api: its pod is replaced on one node after the other',
    ],
    [
      'a pod that states what it is for',
      'DaemonSet',
      {annotations: {'kk.openstack.org/users-notice': 'no servers are created'}},
      'DaemonSet api: no servers are created',
    ],
  ])('is brief where it is %s', (_, kind, pods, why) => {
    expect(replacing(kind, pods).users).toEqual({impact: 'brief', why: [why]})
  })

  it('is an outage where all pods end, and the new ones may wait for Jobs', () => {
    const {users} = replacing('Deployment', {strategy: {type: 'Recreate'}}, [job('migrate-2')])

    expect(users).toEqual({
      impact: 'outage',
      why: [
        'Deployment api: no pod of it runs until a new one is ready, which may wait for the Jobs of this release',
      ],
    })
  })

  it('is an outage where a workload behind a Service is removed, and nothing where none is', () => {
    const before = [workload('Deployment', 'api'), service('api'), workload('Deployment', 'worker')]

    expect(noticedBetween(before, []).users).toEqual({impact: 'outage', why: ['Deployment api: is removed']})
    expect(noticedBetween(before.slice(2), []).users).toEqual({impact: 'none', why: []})
  })

  it('is not known of the pods of nodes that state nothing', () => {
    const [before, after] = ['one', 'two'].map((image) => workload('DaemonSet', 'agent', {image}))

    expect(noticedBetween([before!], [after!]).users).toEqual({
      impact: 'unknown',
      why: ['DaemonSet agent: does not state it'],
    })
  })

  it('is the most that any workload causes, with all that cause as much', () => {
    const set = (image: string) => ['db', 'bus'].map((name) => workload('StatefulSet', name, {image}))
    const rolling = (image: string) => workload('Deployment', 'api', {image, strategy: ROLLING(0, 1)})

    const {users} = noticedBetween([...set('one'), rolling('one')], [...set('two'), rolling('two')])

    expect(users).toEqual({
      impact: 'brief',
      why: ['StatefulSet db: its only pod is replaced', 'StatefulSet bus: its only pod is replaced'],
    })
  })
})

describe('what is not replaced', () => {
  it('is not noticed: equal templates, new workloads, other objects', () => {
    const same = workload('StatefulSet', 'db')
    const added = workload('StatefulSet', 'bus')

    expect(noticedBetween([same, job('one')], [same, added, job('two')])).toEqual({
      users: {impact: 'none', why: []},
      instances: {impact: 'none', why: []},
    })
  })
})

it('instances notice what workloads state, and nothing else', () => {
  const annotations = {'kk.openstack.org/instances-notice': 'no packets pass for a second'}
  const sets = (image: string) => [
    workload('DaemonSet', 'switch', {image, annotations}),
    workload('StatefulSet', 'db', {image}),
  ]

  expect(noticedBetween(sets('one'), sets('two')).instances).toEqual({
    impact: 'brief',
    why: ['DaemonSet switch: no packets pass for a second'],
  })
})
