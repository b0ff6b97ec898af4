import {describe, expect, it} from 'vitest'
import {judgeScheduling} from '../../../src/doctor/cluster/scheduling.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'

const node = (name: string, more: object = {}) => ({
  name,
  labels: {disk: 'hdd', cores: '8'},
  taints: [],
  allocatable: {cpu: '7910m', memory: '16Gi', pods: '110'},
  ...more,
})
const TAINT = {key: 'dedicated', value: 'compute', effect: 'NoSchedule'}

function workload(spec: object, {kind = 'Deployment', name = 'api', replicas = 1} = {}): KubernetesObject {
  return {apiVersion: 'apps/v1', kind, metadata: {name}, spec: {replicas, template: {spec}}}
}

function judge(object: KubernetesObject, nodes = [node('one'), node('two')]) {
  return judgeScheduling(new Map([['openstack/keystone', [object]]]), nodes)
}

const asking = (requests: object) => ({containers: [{resources: {requests}}]})
const affinity = (...nodeSelectorTerms: readonly object[]) => ({
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms}}},
})
const where = (key: string, operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{key, operator, ...(values.length > 0 && {values})}],
})

describe('pods that a node can run', () => {
  it.each<[string, object]>([
    ['ask for nothing', {}],
    ['select by labels that it has', {nodeSelector: {disk: 'hdd'}}],
    ['ask for all that it has', asking({cpu: '7910m', memory: '16Gi'})],
    ['have containers that start one after the other', {initContainers: [0, 1].map(() => containerOf('5'))}],
    ['are of an affinity that holds', affinity(where('disk', 'In', 'ssd'), where('disk', 'In', 'hdd'))],
    ['are of an affinity to more', affinity(where('cores', 'Gt', '7'))],
    ['are of an affinity to less', affinity(where('cores', 'Lt', '9'))],
    ['are of an affinity to others', affinity(where('disk', 'NotIn', 'ssd'))],
    ['are of an affinity to what is there', affinity(where('disk', 'Exists'))],
    ['are of an affinity to what is not there', affinity(where('gpu', 'DoesNotExist'))],
    [
      'are of an affinity to its name',
      affinity({matchFields: [{key: 'metadata.name', operator: 'In', values: ['two']}]}),
    ],
    ['are put on a node by name', {nodeName: 'one', nodeSelector: {disk: 'ssd'}}],
  ])('%s', (_, spec) => {
    expect(judge(workload(spec))).toEqual([])
  })

  it.each([
    ['the taint', {key: 'dedicated', operator: 'Equal', value: 'compute', effect: 'NoSchedule'}],
    ['any value of it', {key: 'dedicated', operator: 'Exists'}],
    ['every taint', {operator: 'Exists'}],
  ])('tolerate %s of the node', (_, toleration) => {
    expect(judge(workload({tolerations: [toleration]}), [node('one', {taints: [TAINT]})])).toEqual([])
  })

  it('include pods of a workload without replicas', () => {
    expect(judge(workload({nodeSelector: {disk: 'ssd'}}, {replicas: 0}))).toEqual([])
  })
})

const containerOf = (cpu: string, more: object = {}) => ({resources: {requests: {cpu}}, ...more})

describe('pods that no node can run', () => {
  it.each<[string, object, string]>([
    ['by their selector', {nodeSelector: {disk: 'ssd'}}, 'does not have the label disk=ssd but hdd'],
    ['by a label that no node has', {nodeSelector: {gpu: 'yes'}}, 'does not have the label gpu=yes'],
    [
      'by their affinity',
      affinity(where('disk', 'In', 'ssd', 'nvme')),
      'does not match the node affinity (disk In ssd, nvme)',
    ],
    ['by an empty affinity', affinity({}), 'does not match the node affinity ()'],
    ['by their CPUs', asking({cpu: 8}), 'has cpu 7.91, but each requests 8'],
    ['by their memory', asking({memory: '32Gi'}), 'has memory 16Gi, but each requests 32Gi'],
    ['by a device', asking({'nvidia.com/gpu': '1'}), 'has nvidia.com/gpu 0, but each requests 1'],
    [
      'by limits alone',
      {containers: [{resources: {limits: {cpu: '9'}}}]},
      'has cpu 7.91, but each requests 9',
    ],
    ['by their containers together', {containers: [containerOf('4'), containerOf('4')]}, 'each requests 8'],
    [
      'by a container beside a sidecar',
      {initContainers: [containerOf('4', {restartPolicy: 'Always'})], containers: [containerOf('4')]},
      'each requests 8',
    ],
    ['by their overhead', {...asking({cpu: '7'}), overhead: {cpu: '1'}}, 'each requests 8'],
  ])('%s', (_, spec, lacks) => {
    expect(judge(workload(spec))).toMatchObject([
      {
        level: 'problem',
        what: expect.stringMatching(
          /^Deployment\/api of keystone: its pods fit none of the 2 nodes; the nearest, one, /,
        ),
      },
    ])
    expect(judge(workload(spec))[0]!.what).toContain(lacks)
  })

  it.each([
    ['nothing', []],
    ['another value', [{key: 'dedicated', value: 'storage'}]],
    ['another effect', [{key: 'dedicated', operator: 'Exists', effect: 'NoExecute'}]],
  ])('are reported if they tolerate %s', (_, tolerations) => {
    const [found] = judge(workload({tolerations}), [node('one', {taints: [TAINT]})])

    expect(found!.what).toContain('has the taint dedicated=compute:NoSchedule, which they do not tolerate')
  })

  it('are reported with the nearest node by labels, not with the largest one', () => {
    const nodes = [node('large', {allocatable: {cpu: '64'}}), node('meant', {labels: {disk: 'ssd'}})]

    const [found] = judge(workload({nodeSelector: {disk: 'ssd'}, ...asking({cpu: '9'})}), nodes)

    expect(found).toMatchObject({
      what: expect.stringMatching(/the nearest, meant, has cpu 7.91, but each requests 9$/),
      advice: 'reduce the requests in the values, or add a larger node',
    })
  })

  it('are one finding for the same reason', () => {
    const objects = ['api', 'worker'].map((name) => workload({nodeSelector: {disk: 'ssd'}}, {name}))

    const found = judgeScheduling(new Map([['openstack/keystone', objects]]), [node('one')])

    expect(found).toHaveLength(1)
    expect(found[0]!.what).toMatch(
      /^Deployment\/api of keystone, Deployment\/worker of keystone: its pods fit none of the 1 nodes/,
    )
  })

  it('of a DaemonSet are only noted if no node matches, and a problem if they do not fit a matching node', () => {
    const set = (spec: object) => workload(spec, {kind: 'DaemonSet'})
    const cordoned = {key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule'}

    expect(judge(set({nodeSelector: {disk: 'ssd'}}))).toMatchObject([{level: 'info'}])
    expect(judge(set(asking({cpu: '9'})))).toMatchObject([{level: 'problem'}])
    expect(judge(set({}), [node('one', {taints: [cordoned]})])).toEqual([])
  })

  it('are a problem of a cluster without nodes', () => {
    expect(judge(workload({}), [])).toMatchObject([
      {level: 'problem', what: expect.stringContaining('has no node')},
    ])
  })
})
