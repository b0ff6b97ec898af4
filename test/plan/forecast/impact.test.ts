import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {noticedBetween} from '../../../src/plan/forecast/impact.ts'

interface Pods {
  readonly namespace?: string
  readonly updateStrategy?: object
  readonly image?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly replicas?: number
  readonly strategy?: object
}

function workload(kind: string, name: string, pods: Pods = {}): KubernetesObject {
  const {image = 'one', annotations, namespace, replicas, ...strategies} = pods
  const template = {
    metadata: {labels: {component: name}},
    spec: {containers: [{name: 'main', image}]},
  }
  const spec = {...(replicas !== undefined && {replicas}), ...strategies, template}
  const metadata = {name, ...(annotations && {annotations}), ...(namespace && {namespace})}
  return {apiVersion: 'apps/v1', kind, metadata, spec}
}

const service = (name: string): KubernetesObject => ({
  ...{apiVersion: 'v1', kind: 'Service', metadata: {name}},
  spec: {selector: {component: name}},
})
const job = (name: string): KubernetesObject => ({
  ...{apiVersion: 'batch/v1', kind: 'Job', metadata: {name}},
  spec: {template: {spec: {containers: [{name: 'main', image: name}]}}},
})

/** What is noticed of a release in the namespace `openstack`. */
const noticed = (before: readonly KubernetesObject[], after: readonly KubernetesObject[]) =>
  noticedBetween({before, after}, 'openstack')

/** What is noticed when this workload gets another image. */
function replacing(kind: string, pods: Pods, more: readonly KubernetesObject[] = []) {
  const before = workload(kind, 'api', pods)
  const after = workload(kind, 'api', {...pods, image: 'two'})
  return noticed([before, service('api')], [after, service('api'), ...more])
}

const ROLLING = (maxUnavailable: unknown, maxSurge: unknown) => ({
  type: 'RollingUpdate',
  rollingUpdate: {maxUnavailable, maxSurge},
})

const hook = (object: KubernetesObject, event: string): KubernetesObject => ({
  ...object,
  metadata: {...object.metadata, annotations: {'helm.sh/hook': event}},
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
    [
      'the only pod of a StatefulSet',
      'StatefulSet',
      {},
      'StatefulSet/api: no pod of it runs until a new one is ready',
    ],
    [
      'the members of a StatefulSet',
      'StatefulSet',
      {replicas: 3},
      'StatefulSet/api: its members are replaced one after the other',
    ],
    [
      'a pod that ends before the new one starts',
      'Deployment',
      {strategy: {type: 'Recreate'}},
      'Deployment/api: no pod of it runs until a new one is ready',
    ],
    [
      'all pods at once',
      'Deployment',
      {replicas: 3, strategy: ROLLING('100%', 0)},
      'Deployment/api: no pod of it runs until a new one is ready',
    ],
    [
      'a pod per node behind a Service',
      'DaemonSet',
      {},
      'DaemonSet/api: its pods are replaced on one node after the other',
    ],
    [
      'a pod that states what it is for',
      'DaemonSet',
      {annotations: {'kk.openstack.org/users-notice': 'no servers are created'}},
      'DaemonSet/api: no servers are created',
    ],
  ])('is brief where it is %s', (_, kind, pods, why) => {
    expect(replacing(kind, pods).users).toEqual({impact: 'brief', why: [why]})
  })

  it('is an outage where all pods end, and the new ones may wait for Jobs', () => {
    const {users} = replacing('Deployment', {strategy: {type: 'Recreate'}}, [job('migrate-2')])

    expect(users).toEqual({
      impact: 'outage',
      why: ['Deployment/api: no pod of it runs until a new one is ready, which may wait for Jobs'],
    })
  })

  it.each<[string, string, Pods]>([
    ["of openstack-helm's strategy", 'Deployment', {strategy: ROLLING(1, 3)}],
    ['all at once', 'Deployment', {replicas: 3, strategy: ROLLING('100%', 0)}],
    ['the only member', 'StatefulSet', {}],
  ])(
    'is an outage where the old pods end before the new ones, which may wait for Jobs: %s',
    (_, kind, pods) => {
      expect(replacing(kind, pods, [job('migrate-2')]).users.impact).toBe('outage')
    },
  )

  it('is brief where the only Jobs have ended before, or run in installations', () => {
    const hooks = ['pre-upgrade', 'post-install'].map((event) => hook(job('migrate-2'), event))

    expect(replacing('StatefulSet', {}, hooks).users.impact).toBe('brief')
    expect(replacing('StatefulSet', {}, [hook(job('migrate'), 'post-upgrade')]).users.impact).toBe('outage')
  })

  it.each<[string, string, Pods]>([
    ['with OnDelete', 'StatefulSet', {updateStrategy: {type: 'OnDelete'}}],
    ['with OnDelete on nodes', 'DaemonSet', {updateStrategy: {type: 'OnDelete'}}],
    ['below a partition', 'StatefulSet', {replicas: 3, updateStrategy: {rollingUpdate: {partition: 3}}}],
  ])('is nothing where no pod is replaced: %s', (_, kind, pods) => {
    expect(replacing(kind, pods)).toEqual({
      users: {impact: 'none', why: []},
      instances: {impact: 'none', why: []},
    })
  })

  it('is of all nodes at once where the chart says so', () => {
    const updateStrategy = {type: 'RollingUpdate', rollingUpdate: {maxUnavailable: '100%'}}

    expect(replacing('DaemonSet', {updateStrategy}).users.why).toEqual([
      'DaemonSet/api: its pods are replaced on all nodes at once',
    ])
  })

  it('is an outage where what is behind a Service is removed or scaled to 0, and else not known', () => {
    const [served, worker] = [workload('Deployment', 'api'), workload('Deployment', 'worker')]

    expect(noticed([served, service('api'), worker], [service('api'), worker]).users).toEqual({
      impact: 'outage',
      why: ['Deployment/api: is removed'],
    })
    expect(noticed([worker], []).users).toEqual({impact: 'unknown', why: ['Deployment/worker: is removed']})
    expect(replacing('Deployment', {}).users.impact).toBe('none')
    const none = workload('Deployment', 'api', {replicas: 0})
    expect(noticed([served, service('api')], [none, service('api')]).users).toEqual({
      impact: 'outage',
      why: ['Deployment/api: is scaled to 0'],
    })
  })

  it('is an outage where a Service is removed, and not known where it selects other pods', () => {
    const other = {...service('api'), spec: {selector: {component: 'other'}}}

    expect(noticed([service('api')], []).users.impact).toBe('outage')
    expect(noticed([service('api')], [other]).users).toEqual({
      impact: 'unknown',
      why: ['Service/api: selects other pods'],
    })
  })

  it('is not known of custom resources, whose operators do what they do', () => {
    const cluster = (version: number): KubernetesObject => ({
      ...{apiVersion: 'db.example.org/v1', kind: 'Cluster', metadata: {name: 'db'}, spec: {version}},
    })

    expect(noticed([cluster(1)], [cluster(2)]).users).toEqual({
      impact: 'unknown',
      why: ['Cluster/db: changes'],
    })
    expect(noticed([cluster(1)], [cluster(1)]).users.impact).toBe('none')
  })

  it('is of the object in the same namespace', () => {
    const sets = (image: string) => [
      workload('StatefulSet', 'db', {namespace: 'one', image}),
      workload('StatefulSet', 'db', {namespace: 'two'}),
    ]

    expect(noticed(sets('one'), sets('two')).users.impact).toBe('brief')
    expect(noticed(sets('one'), sets('one')).users.impact).toBe('none')
  })

  it('is not known of the pods of nodes that state nothing', () => {
    const [before, after] = ['one', 'two'].map((image) => workload('DaemonSet', 'agent', {image}))

    expect(noticed([before!], [after!]).users).toEqual({
      impact: 'unknown',
      why: ['DaemonSet/agent: does not state it'],
    })
  })

  it('is the most that any workload causes, with all that cause as much', () => {
    const set = (image: string) => ['db', 'bus'].map((name) => workload('StatefulSet', name, {image}))
    const rolling = (image: string) => workload('Deployment', 'api', {image, strategy: ROLLING(0, 1)})

    const {users} = noticed([...set('one'), rolling('one')], [...set('two'), rolling('two')])

    expect(users).toEqual({
      impact: 'brief',
      why: [
        'StatefulSet/db: no pod of it runs until a new one is ready',
        'StatefulSet/bus: no pod of it runs until a new one is ready',
      ],
    })
  })
})

describe('what is not replaced', () => {
  it('is not noticed: equal templates, new workloads, other objects', () => {
    const same = workload('StatefulSet', 'db')
    const added = workload('StatefulSet', 'bus')

    expect(noticed([same, job('one')], [same, added, job('two')])).toEqual({
      users: {impact: 'none', why: []},
      instances: {impact: 'none', why: []},
    })
  })
})

describe('what instances notice', () => {
  const impacts = (kind: string, annotations: Readonly<Record<string, string>>) =>
    noticed([workload(kind, 'a', {annotations})], [workload(kind, 'a', {annotations, image: 'two'})])
      .instances

  it('is what the workload states', () => {
    const annotations = {'kk.openstack.org/instances-notice': 'no packets pass for a second'}

    expect(impacts('DaemonSet', annotations)).toEqual({
      impact: 'brief',
      why: ['DaemonSet/a: no packets pass for a second'],
    })
  })

  it.each([
    ['DaemonSet', {'kk.openstack.org/users-notice': ''}, 'none'],
    ['StatefulSet', {'kk.openstack.org/instances-notice': ''}, 'none'],
    ['Deployment', {}, 'none'],
    ['StatefulSet', {}, 'unknown'],
    ['DaemonSet', {}, 'unknown'],
  ])('of a %s with %j is %s', (kind, annotations, impact) => {
    expect(impacts(kind, annotations).impact).toBe(impact)
  })
})
