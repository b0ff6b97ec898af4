import {describe, expect, it} from 'vitest'
import {planRemoval, type RemovedNode} from '../../src/nodes/removal-plan.ts'
import {host, server} from '../verbs/nodes/support/cloud.ts'

const COMPUTE = {'openstack-compute-node': 'enabled'}
const SWITCH = {openvswitch: 'enabled'}
const CONTROL = {'openstack-control-plane': 'enabled'}

const node: RemovedNode = {
  node: 'a',
  labels: {...COMPUTE, ...SWITCH, rack: '7'},
  reports: true,
  workloads: [
    {kind: 'DaemonSet', chart: 'nova', component: 'compute', selector: COMPUTE},
    {kind: 'DaemonSet', chart: 'ovn', component: 'controller', selector: SWITCH},
    {kind: 'StatefulSet', chart: 'mariadb', component: 'server', selector: CONTROL},
  ],
  pods: [
    {name: 'openstack/nova-compute-1', controller: 'DaemonSet', selector: COMPUTE, claims: []},
    {name: 'openstack/ovn-controller-1', controller: 'DaemonSet', selector: SWITCH, claims: []},
  ],
  chassis: ['c-a'],
  gateways: [],
}
const off = host('a', {isEnabled: false})
const facts = {hosts: [off, host('b')], servers: [], apart: []}
const plan = (more: Partial<RemovedNode> = {}, only?: readonly string[], known = facts) =>
  planRemoval({...node, ...more}, {facts: known, only})

describe('the plan of the removal of a node', () => {
  it('takes off the labels by which charts select it, and what depends on them', () => {
    expect(plan()).toEqual({
      ...{node: 'a', labels: ['openstack-compute-node', 'openvswitch'], residents: []},
      ends: ['openstack/nova-compute-1', 'openstack/ovn-controller-1'],
      ...{chassis: ['c-a'], removesHost: true},
    })
  })

  it('leaves what other labels keep there', () => {
    const controller = {...node.labels, ...CONTROL}
    const database = {name: 'openstack/db', controller: 'StatefulSet', selector: CONTROL, claims: ['data']}

    expect(
      plan({labels: controller, gateways: ['lrp-1'], pods: [...node.pods, database]}, [
        'openstack-compute-node',
      ]),
    ).toEqual({
      ...{node: 'a', labels: ['openstack-compute-node'], residents: []},
      ...{ends: ['openstack/nova-compute-1'], chassis: [], removesHost: true},
    })
  })

  it('goes on where it was interrupted: the labels are gone, the host is not', () => {
    expect(plan({labels: {rack: '7'}, pods: []})).toMatchObject({
      ...{labels: [], ends: [], chassis: ['c-a'], removesHost: true, residents: []},
    })
  })

  it('removes what is left of a node that Kubernetes no longer has, and awaits no pods of it', () => {
    const dead = {hosts: [host('a', {isEnabled: false, isUp: false})], servers: [], apart: []}
    const {labels: _, ...gone} = node

    const planned = planRemoval({...gone, labels: undefined, reports: false}, {facts: dead, only: undefined})

    expect(planned).toMatchObject({labels: [], ends: [], chassis: ['c-a'], removesHost: true, residents: []})
  })

  it.each([
    [
      'instance web (web; project shop, user ann) is here: move or delete it',
      {},
      {...facts, servers: [server('web')]},
    ],
    [
      'instance web (web; project shop, user ann) is here: kk node evacuate starts it elsewhere',
      {reports: false},
      {...facts, hosts: [host('a', {isEnabled: false, isUp: false})], servers: [server('web')]},
    ],
    ['nova starts instances here: kk node drain ends that', {}, {...facts, hosts: [host('a')]}],
    [
      'its nova-compute reports to nova although its kubelet is silent: switch it off',
      {reports: false},
      facts,
    ],
    ['the gateway lrp-1 is here: kk node drain moves it', {gateways: ['lrp-1']}, facts],
    [
      'pod openstack/api runs here: kk node drain evicts it',
      {pods: [{name: 'openstack/api', controller: 'ReplicaSet', selector: CONTROL, claims: []}]},
      facts,
    ],
    [
      'pod openstack/db has its volume here: data',
      {pods: [{name: 'openstack/db', controller: 'StatefulSet', selector: CONTROL, claims: ['data']}]},
      facts,
    ],
  ])('is refused: %s', (resident, more: Partial<RemovedNode>, known) => {
    expect(plan(more, undefined, known as typeof facts).residents).toEqual([resident])
  })
})
