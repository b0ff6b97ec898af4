import type {Cell, Cinder, Facts, Neutron, Nova, Placement, Switch} from '../../../src/audit/facts.ts'

type Writable<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? Map<K, Writable<V>>
    : T extends ReadonlySet<infer V>
      ? Set<V>
      : T extends readonly [string, string]
        ? [string, string]
        : T extends readonly (infer V)[]
          ? Writable<V>[]
          : T extends object
            ? {-readonly [K in keyof T]: Writable<T[K]>}
            : T

/** Facts that a test changes, with the parts that every cloud of these tests has. */
export type Cloud = Writable<Facts> &
  Writable<Required<Omit<Facts, 'octavia'>>> & {
    nova: Writable<Nova>
    placement: Writable<Placement>
    neutron: Writable<Neutron>
    cinder: Writable<Cinder>
    cell: Writable<Cell>
  }

export const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
export const WEB = id(1)
export const NODE = id(2)
export const PORT = id(3)
export const NETWORK = id(4)
export const ROUTER = id(5)
const GROUP = id(6)
export const ADDRESS = id(7)
export const SUBNET = id(8)
export const VOLUME = id(9)
export const ATTACHMENT = id(10)
export const IMAGE = id(11)
const BALANCER = id(12)
export const MISSING = id(99)

const age = 600
const project_id = 'p1'
const revision = {'neutron:revision_number': '1'}

/**
 * Returns the facts of a cloud without inconsistencies: server `web` on node `one`, with a port, a floating
 * IP address and a volume; node `two` is empty.
 */
export function healthyCloud(): Cloud {
  const cell: Writable<Cell> = {
    servers: [
      {
        ...{
          uuid: WEB,
          display_name: 'web',
          host: 'one',
          node: 'one.example',
          vm_state: 'active',
          task_state: null,
        },
        ...{power_state: 1, project_id, vcpus: 2, memory_mb: 512, age},
      },
    ],
    gone: [],
    services: [
      {host: 'one', binary: 'nova-compute'},
      {host: 'two', binary: 'nova-compute'},
    ],
    nodes: [
      {uuid: NODE, host: 'one', hypervisor_hostname: 'one.example', age},
      {uuid: id(20), host: 'two', hypervisor_hostname: 'two.example', age},
    ],
    volumes: [{instance_uuid: WEB, volume_id: VOLUME, attachment_id: ATTACHMENT, age}],
    interfaces: [{instance_uuid: WEB, port: PORT, age}],
    migrations: [],
  }
  const client = {address: '192.0.2.1', client: 7}
  const port = {id: PORT, name: '', network_id: NETWORK, device_id: WEB, device_owner: 'compute:nova'}
  return {
    cell,
    nova: {
      mappings: [{instance_uuid: WEB, cell: 'cell1', queued_for_delete: 0, age}],
      builds: [],
      hosts: [{host: 'one'}, {host: 'two'}],
      cellIds: [{name: 'cell1', uuid: id(21)}],
      cells: {cell1: cell},
    },
    placement: {
      providers: [
        {uuid: NODE, name: 'one.example', root: NODE, computes: 1, age},
        {uuid: id(20), name: 'two.example', root: id(20), computes: 1, age},
      ],
      allocations: [
        {consumer: WEB, provider: NODE, class: 'VCPU', used: 2, age},
        {consumer: WEB, provider: NODE, class: 'MEMORY_MB', used: 512, age},
      ],
    },
    neutron: {
      ports: [{...port, status: 'ACTIVE', host: 'one', vif_type: 'ovs', admin_state_up: 1, project_id, age}],
      networks: [{id: NETWORK, name: 'net', project_id, age}],
      routers: [{id: ROUTER, name: 'router', project_id, age}],
      groups: [{id: GROUP, name: 'default', project_id, age}],
      addresses: [{id: ADDRESS, address: '203.0.113.5', router_id: ROUTER, fixed_port_id: PORT, age}],
      subnets: [{id: SUBNET, network_id: NETWORK, age}],
    },
    cinder: {
      volumes: [
        {
          ...{id: VOLUME, name: 'data', status: 'in-use', host: 'cinder@rbd#rbd', name_id: null},
          ...{migration_status: null, project_id, multiattach: 0, age},
        },
      ],
      attachments: [{id: ATTACHMENT, volume_id: VOLUME, instance_uuid: WEB, attach_status: 'attached', age}],
      snapshots: [{id: id(22), volume_id: VOLUME, status: 'available', age}],
      services: [{host: 'cinder@rbd', binary: 'cinder-volume'}],
    },
    glance: {
      images: [{id: IMAGE, name: 'guest', status: 'active', age}],
      locations: [{image_id: IMAGE, value: `rbd://fsid/images/${IMAGE}/snap`}],
    },
    keystone: {projects: [{id: project_id}]},
    octavia: {
      balancers: [{id: BALANCER, name: 'lb', port_id: PORT, provisioning_status: 'ACTIVE', age}],
    },
    northbound: {
      switches: [{name: `neutron-${NETWORK}`, ids: {...revision}}],
      ports: [
        {name: PORT, type: '', ids: {...revision}},
        {name: `provnet-${id(23)}`, type: 'localnet', ids: {}},
      ],
      routers: [{name: `neutron-${ROUTER}`, ids: {...revision}}],
      routerPorts: [],
      nats: [{ids: {'neutron:fip_id': ADDRESS}}],
      groups: [
        {name: `pg_${GROUP.replaceAll('-', '_')}`, ids: {'neutron:security_group_id': GROUP}},
        {name: 'neutron_pg_drop', ids: {}},
      ],
      dhcp: [{uuid: id(24), ids: {subnet_id: SUBNET}}],
      balancers: [{uuid: id(25), name: BALANCER, ids: {'neutron:vip_port_id': PORT}}],
      sequence: 9,
      members: {
        database: 'OVN_Northbound',
        servers: [{id: 'a1b2', address: 'tcp:ovn-nb-0.ovn-nb-peers.openstack.svc.cluster.local:6643'}],
        pods: ['ovn-nb-0'],
      },
    },
    southbound: {
      chassis: [
        {uuid: id(26), name: 'chassis-one', hostname: 'one'},
        {uuid: id(27), name: 'chassis-two', hostname: 'two'},
      ],
      bindings: [{port: PORT, type: '', chassis: id(26)}],
      agents: new Map(),
      followed: new Map([
        ['chassis-one', 9],
        ['chassis-two', 8],
      ]),
      members: undefined,
    },
    switches: new Map<string, Writable<Switch>>([
      [
        'one',
        {
          systemId: 'chassis-one',
          interfaces: [
            {name: 'br-int', error: undefined, isDown: false, ids: {}},
            {name: 'tap3', error: undefined, isDown: false, ids: {'iface-id': PORT, 'vm-uuid': WEB}},
          ],
        },
      ],
      ['two', {systemId: 'chassis-two', interfaces: []}],
    ]),
    hypervisors: new Map([
      [
        'one',
        {
          hostname: 'one.example',
          domains: [
            {
              ...{uuid: WEB, name: 'instance-00000001', state: 'running'},
              disks: [`vms/${WEB}_disk`, `volumes/volume-${VOLUME}`],
            },
          ],
        },
      ],
      ['two', {hostname: 'two.example', domains: []}],
    ]),
    nodes: new Set(['one', 'two']),
    volumePools: {pools: {volumes: {[`volume-${VOLUME}`]: [{...client}]}}, sections: {rbd: 'volumes'}},
    serverPools: {pools: {vms: {[`${WEB}_disk`]: [{...client}]}}, sections: {libvirt: 'vms'}},
    imagePools: {pools: {images: {[IMAGE]: []}}, sections: {rbd: 'images'}},
    buses: [
      {
        release: 'openstack/rabbitmq',
        members: ['rabbit@0', 'rabbit@1', 'rabbit@2'],
        running: ['rabbit@0', 'rabbit@1', 'rabbit@2'],
        queues: [
          {
            ...{name: ['/', 'compute'], type: 'quorum', state: 'running', leader: 'rabbit@0'},
            members: ['rabbit@0', 'rabbit@1', 'rabbit@2'],
            online: ['rabbit@0', 'rabbit@1', 'rabbit@2'],
          },
          {
            ...{name: ['/', 'compute_fanout'], type: 'stream', state: 'running', leader: 'rabbit@1'},
            members: ['rabbit@0', 'rabbit@1', 'rabbit@2'],
            online: ['rabbit@0', 'rabbit@1', 'rabbit@2'],
          },
        ],
      },
    ],
    schemas: [{name: 'nova api', applied: ['r2'], known: 2, pending: [], unknown: []}],
  }
}
