import {describe, expect, it} from 'vitest'
import type {CloudFacts} from '../../src/nodes/facts.ts'
import {planRemoval, type RemovedNode, type ResidentPod} from '../../src/nodes/removal-plan.ts'
import {host, server} from '../verbs/nodes/support/cloud.ts'

const COMPUTE = {'openstack-compute-node': 'enabled'}
const SWITCH = {openvswitch: 'enabled'}
const CONTROL = {'openstack-control-plane': 'enabled'}

const pod = (name: string, more: Partial<ResidentPod> = {}): ResidentPod => ({
  ...{name: `openstack/${name}`, controller: 'DaemonSet', selector: COMPUTE},
  ...{isOurs: true, isBeingDeleted: false, ...more},
})
const node: RemovedNode = {
  node: 'a',
  labels: {...COMPUTE, ...SWITCH, rack: '7'},
  reports: true,
  workloads: [
    {kind: 'DaemonSet', chart: 'nova', component: 'compute', selector: COMPUTE},
    {kind: 'DaemonSet', chart: 'neutron', component: 'metadata', selector: COMPUTE},
    {kind: 'DaemonSet', chart: 'ovn', component: 'controller', selector: SWITCH},
    {kind: 'StatefulSet', chart: 'mariadb', component: 'server', selector: CONTROL},
  ],
  pods: [pod('nova-compute-1'), pod('ovn-controller-1', {selector: SWITCH})],
  claims: [],
  chassis: [{name: 'c-a', agents: {'neutron:ovn-metadata-id': 'm'}}],
  gateways: [],
  ceph: undefined,
}
const off = host('a', {isEnabled: false})
const down = host('a', {isEnabled: false, isUp: false})
const facts: CloudFacts = {hosts: [off, host('b')], servers: [], apart: []}
const none = {osds: [], claims: [], residents: []}

function plan(more: Partial<RemovedNode> = {}, only?: readonly string[], known: CloudFacts = facts) {
  return planRemoval({...node, ...more}, {facts: known, only})
}

describe('the plan of the removal of a node', () => {
  it('takes off the labels by which charts select it, and what depends on them', () => {
    expect(plan()).toEqual({
      ...{node: 'a', labels: ['openstack-compute-node', 'openvswitch'], keeps: [], ...none},
      ends: ['openstack/nova-compute-1', 'openstack/ovn-controller-1'],
      ...{chassis: node.chassis, keepsChassis: false, removesHost: true},
    })
  })

  it("leaves what other labels keep there, but not neutron's agents of a hypervisor", () => {
    const labels = {...node.labels, ...CONTROL}
    const database = pod('db', {controller: 'StatefulSet', selector: CONTROL})
    const claim = {name: 'openstack/data', pod: 'openstack/db', selector: CONTROL}

    expect(
      plan({labels, gateways: ['lrp-1'], pods: [...node.pods, database], claims: [claim]}, [
        'openstack-compute-node',
      ]),
    ).toEqual({
      ...{node: 'a', labels: ['openstack-compute-node'], ...none},
      keeps: ['openstack-control-plane', 'openvswitch'],
      ...{ends: ['openstack/nova-compute-1'], chassis: node.chassis, keepsChassis: true, removesHost: true},
    })
  })

  it('never removes a label of Kubernetes, of others, or with another value', () => {
    const os = {kind: 'DaemonSet', chart: 'x', component: 'y', selector: {'kubernetes.io/os': 'linux'}}
    const others = {kind: 'DaemonSet', chart: '', component: '', selector: {rack: '7'}}
    const labels = {'kubernetes.io/os': 'linux', rack: '7', openvswitch: 'disabled'}

    expect(plan({labels, pods: [], workloads: [...node.workloads, os, others]}).labels).toEqual([])
  })

  it('does not count the pod by which nova blocks a drain: its instances do', () => {
    const blocker = pod('nova-use-kk-node-drain-a-1', {controller: 'ReplicaSet', selector: {}})

    expect(plan({pods: [...node.pods, blocker]}).residents).toEqual([])
  })

  it('goes on after an interruption that left the host, its agents or its provider, but not the labels', () => {
    const nova = {...facts, hosts: [host('b')]}
    const rest = [
      facts,
      {...nova, agents: [{id: 'c-a', hosts: ['("Chassis" register deleted)', 'a', 'c-a']}]},
      {...nova, providers: ['a.cloud']},
    ]

    for (const known of rest)
      expect(plan({labels: {rack: '7'}, pods: []}, undefined, known)).toMatchObject({
        ...{labels: [], ends: [], removesHost: true, residents: []},
      })
    expect(plan({labels: {rack: '7'}, pods: [], chassis: []}, undefined, nova).removesHost).toBe(false)
  })

  it('removes what is left of a node that Kubernetes no longer has, also if nova has it enabled', () => {
    const dead = {...facts, hosts: [host('a', {isUp: false})]}
    const {labels: _, ...gone} = node

    const planned = planRemoval(
      {...gone, labels: undefined, reports: false, pods: [], gateways: ['lrp-1']},
      {facts: dead, only: undefined},
    )

    expect(planned).toMatchObject({labels: [], ends: [], removesHost: true, residents: []})
  })

  const disk = pod('ceph-osd-1', {controller: 'StatefulSet', selector: CONTROL})
  const claims = [{name: 'openstack/data-ceph-osd-1', pod: disk.name, selector: CONTROL}]
  const ceph = {osds: [{id: 1, pod: disk.name}], otherNodes: 3, copies: 3}

  it('empties the osds of Ceph there, and deletes their claims', () => {
    expect(plan({pods: [...node.pods, disk], claims, ceph})).toMatchObject({
      ...{residents: [], osds: ceph.osds, claims: ['openstack/data-ceph-osd-1']},
    })
  })

  it('leaves an osd that another label keeps there', () => {
    expect(plan({pods: [...node.pods, disk], claims, ceph}, ['openvswitch'])).toMatchObject(none)
    // Its pod waits for the drained node.
    expect(plan({pods: node.pods, claims, ceph}, ['openvswitch'])).toMatchObject(none)
  })

  it('removes an osd from Ceph whose pod runs elsewhere by now', () => {
    const {osds, claims: deleted} = plan({ceph})

    expect([osds, deleted]).toEqual([[{id: 1}], []])
  })

  it.each<[string, Partial<RemovedNode>, CloudFacts?]>([
    [
      'osd.1 must stay: Ceph keeps 3 copies on a node each, and 2 other nodes have osds',
      {pods: [disk], claims, ceph: {...ceph, otherNodes: 2}},
    ],
    [
      'instance web (web; project shop, user ann) is here: move or delete it',
      {},
      {...facts, servers: [server('web')]},
    ],
    [
      'instance web (web; project shop, user ann) is here: kk node drain has stopped it: move it, and remove its tag kk:stopped and start it there',
      {},
      {...facts, servers: [server('web', {status: 'SHUTOFF', tags: ['kk:stopped']})]},
    ],
    [
      'instance web (web; project shop, user ann) is here: kk node evacuate starts it elsewhere',
      {reports: false},
      {...facts, hosts: [down], servers: [server('web')]},
    ],
    [
      'a migration of instance web from or to here is finished: confirm or revert it',
      {},
      {...facts, moving: [{server: 'web', source: 'a', target: 'b', status: 'finished'}]},
    ],
    ['nova starts instances here: kk node drain ends that', {}, {...facts, hosts: [host('a')]}],
    [
      'it was evacuated: kk node return first deletes what is left there of instances that run elsewhere',
      {},
      {...facts, hosts: [host('a', {isEnabled: false, isForcedDown: true})]},
    ],
    [
      'its nova-compute reports to nova although its kubelet is silent: switch it off',
      {reports: false},
      facts,
    ],
    ['the gateway lrp-1 is here: kk node drain moves it', {gateways: ['lrp-1']}],
    [
      'pod openstack/api runs here: kk node drain evicts it',
      {pods: [pod('api', {controller: 'ReplicaSet', selector: CONTROL})]},
    ],
    [
      'pod openstack/agent of others runs here by one of these labels',
      {pods: [pod('agent', {isOurs: false})]},
    ],
    [
      'the volume of claim openstack/data is here, of pod openstack/db',
      {claims: [{name: 'openstack/data', pod: 'openstack/db', selector: CONTROL}]},
    ],
    [
      'the volume of claim openstack/old is here',
      {claims: [{name: 'openstack/old', pod: undefined, selector: {}}]},
    ],
  ])('is refused: %s', (resident, more, known) => {
    expect(plan(more, undefined, known).residents).toEqual([resident])
  })

  it('does not wait for the pods of a silent kubelet', () => {
    const api = pod('api', {controller: 'ReplicaSet', selector: CONTROL, isBeingDeleted: true})

    expect(
      plan({reports: false, pods: [...node.pods, api]}, undefined, {...facts, hosts: [down]}),
    ).toMatchObject({
      ...{ends: [], residents: []},
    })
  })
})
