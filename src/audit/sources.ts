import {DATABASES} from './queries.ts'

/** A collector of facts: the containers that it runs in, and its input. */
export interface Source {
  /** The name in messages and in `--output json`. */
  readonly name: string
  readonly chart: string
  /** The components of the chart whose pods can run it; the first that runs does. */
  readonly components: readonly string[]
  /** Whether every node is asked, or one pod for all. */
  readonly perNode?: true
  /** A chart and its component that run only on nodes that have this source, too. */
  readonly expectedWith?: readonly [chart: string, component: string]
  /** Whether it is asked in each release that has the chart; otherwise only one release may have it. */
  readonly perRelease?: true
  /** The collector, a file of `collectors/`. */
  readonly collector: 'sql' | 'rbd' | 'libvirt' | 'ovsdb' | 'rabbitmq' | 'qemu' | 'feature-flags'
  readonly input: object
}

/** The sockets of the databases of OVN, at the paths at which images have them. */
export const OVN_PATHS = {
  sockets: ['/run/ovn/db.sock', '/run/ovn/ovn??_db.sock', '/run/openvswitch/ovn??_db.sock'],
  controls: ['/run/ovn/db.ctl', '/run/ovn/ovn??_db.ctl'],
}

const OTHERS: readonly Source[] = [
  {
    name: 'northbound',
    chart: 'ovn',
    components: ['nb'],
    collector: 'ovsdb',
    input: {
      database: 'OVN_Northbound',
      ...OVN_PATHS,
      tables: {
        Logical_Switch: ['name', 'external_ids'],
        Logical_Switch_Port: ['name', 'type', 'external_ids'],
        Logical_Router: ['name', 'external_ids'],
        Logical_Router_Port: ['name', 'external_ids'],
        NAT: ['external_ids'],
        Port_Group: ['name', 'external_ids'],
        DHCP_Options: ['_uuid', 'external_ids'],
        Load_Balancer: ['_uuid', 'name', 'external_ids'],
        NB_Global: ['nb_cfg'],
      },
    },
  },
  {
    name: 'southbound',
    chart: 'ovn',
    components: ['sb'],
    collector: 'ovsdb',
    input: {
      database: 'OVN_Southbound',
      ...OVN_PATHS,
      tables: {
        Chassis: ['_uuid', 'name', 'hostname'],
        Chassis_Private: ['name', 'nb_cfg', 'external_ids'],
        Port_Binding: ['logical_port', 'type', 'chassis'],
      },
    },
  },
  {
    name: 'openvswitch',
    chart: 'openvswitch',
    components: ['db', 'vswitchd'],
    perNode: true,
    expectedWith: ['ovn', 'controller'],
    collector: 'ovsdb',
    input: {
      database: 'Open_vSwitch',
      sockets: ['/run/openvswitch/db.sock'],
      controls: [],
      tables: {Interface: ['name', 'error', 'admin_state', 'external_ids'], Open_vSwitch: ['external_ids']},
    },
  },
  {
    name: 'libvirt',
    chart: 'libvirt',
    components: ['libvirt'],
    perNode: true,
    expectedWith: ['nova', 'compute'],
    collector: 'libvirt',
    input: {},
  },
  {
    name: 'volume pools',
    chart: 'cinder',
    components: ['volume', 'backup'],
    perRelease: true,
    collector: 'rbd',
    input: {
      ...{files: ['/etc/cinder/*.conf', '/etc/cinder/*/*.conf'], pools: ['rbd_pool'], users: ['rbd_user']},
      ...{user: 'cinder', watchers: true},
    },
  },
  {
    name: 'server pools',
    chart: 'nova',
    components: ['compute'],
    perRelease: true,
    collector: 'rbd',
    input: {
      ...{files: ['/etc/nova/*.conf', '/etc/nova/*/*.conf'], pools: ['images_rbd_pool'], users: ['rbd_user']},
      ...{user: 'cinder', watchers: true},
    },
  },
  {
    name: 'image pools',
    chart: 'glance',
    components: ['api'],
    perRelease: true,
    collector: 'rbd',
    input: {
      ...{files: ['/etc/glance/glance-api.conf', '/etc/glance/*/*.conf'], pools: ['rbd_store_pool']},
      ...{users: ['rbd_store_user'], user: 'glance', watchers: false},
    },
  },
  {
    ...{name: 'rabbitmq', chart: 'rabbitmq', components: ['server'], perRelease: true},
    ...{collector: 'rabbitmq', input: {}},
  },
]

/** All collectors, the databases first. */
export const SOURCES: readonly Source[] = [
  ...Object.entries(DATABASES).map(
    ([chart, [database, ...components]]): Source => ({
      name: chart,
      chart,
      components,
      collector: 'sql',
      input: {databases: [database]},
    }),
  ),
  ...OTHERS,
]
