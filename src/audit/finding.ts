/** A place that runs a command: a component of a chart, on a node if its pods differ. */
export interface Place {
  readonly chart: string
  readonly components: readonly string[]
  readonly node?: string
  /** The release, as `namespace/name`, if several have the chart. */
  readonly release?: string
}

/** A command that repairs a finding. */
export interface Repair {
  readonly command: readonly string[]
  /** The pod that has the program; if omitted, it is a client for an administrator's shell. */
  readonly place?: Place
  /** Whether `kk audit --repair` may execute it. */
  readonly safe?: true
  /** The sources that show whether a safe repair is still needed. */
  readonly shownBy?: readonly string[]
}

/** An inconsistency. */
export interface Finding {
  readonly kind: FindingKind
  /** `likely` if a process that no fact shows can explain it. */
  readonly certainty: 'certain' | 'likely'
  /** The ids that identify it, together with its kind. */
  readonly ids: readonly string[]
  readonly what: string
  readonly repair: Repair
}

/** Returns what identifies a finding in two audits. */
export function findingKey({kind, ids}: Finding): string {
  return [kind, ...ids].join(' ')
}

/** Every kind of inconsistency, and what it means. Kinds are stable. */
export const KINDS = {
  DOMAIN_WITHOUT_SERVER: 'libvirt has a domain that is not a server of nova',
  SERVER_WITHOUT_DOMAIN: 'libvirt has no domain for a server, on any node',
  SERVER_ON_OTHER_NODE: 'the domain of a server is on another node than nova records',
  SERVER_RUNS_TWICE: 'the domain of a server runs on two nodes',
  SERVER_POWER_DIFFERS: 'a server is active and its domain is shut off, or the reverse',
  SERVER_STUCK: 'the task of a server has not progressed for an hour',
  SERVER_HOST_UNKNOWN: 'a server is on a host that has no compute service',
  SERVER_WITHOUT_MAPPING: 'the API cannot find a server, because it has no mapping to its cell',
  MAPPING_WITHOUT_SERVER: 'a mapping to a cell has no server there',
  BUILD_REQUEST_LEFT: 'the request to build a server is older than an hour',
  HOST_WITHOUT_MAPPING: 'a compute host is not mapped to its cell, so no server is scheduled to it',
  ORPHAN_ALLOCATION: 'Placement reserves resources for a server or migration that does not exist',
  ALLOCATION_MISSING: 'Placement reserves nothing for a server on a host',
  ALLOCATION_ON_OTHER_NODE: 'Placement reserves resources for a server only on another node than its own',
  ALLOCATION_DIFFERS: 'Placement reserves more or less than the size of a server',
  NODE_WITHOUT_PROVIDER: 'a compute node has no resource provider',
  PROVIDER_WITHOUT_NODE: 'a resource provider belongs to no compute node',
  PORT_WITHOUT_SERVER: 'a port belongs to a server that does not exist',
  SERVER_PORT_MISSING: 'a server uses a port that neutron does not have',
  PORT_ON_OTHER_HOST: 'a port is bound to another host than that of its server',
  PORT_BINDING_FAILED: 'neutron could not bind the port of a server',
  PORT_DOWN: 'a port of a running server is down',
  PORT_OF_REMOVED_NODE: "a port of octavia's health manager belongs to a node that does not exist",
  LOAD_BALANCER_PORT_MISSING: 'a load balancer uses a port that neutron does not have',
  NETWORK_NOT_IN_OVN: 'the northbound database lacks a network',
  PORT_NOT_IN_OVN: 'the northbound database lacks a port',
  ROUTER_NOT_IN_OVN: 'the northbound database lacks a router',
  SECURITY_GROUP_NOT_IN_OVN: 'the northbound database lacks a security group',
  FLOATING_IP_NOT_IN_OVN: 'the northbound database lacks the translation of a floating IP address',
  OVN_NETWORK_ORPHAN: 'the northbound database has a network that neutron does not have',
  OVN_PORT_ORPHAN: 'the northbound database has a port that neutron does not have',
  OVN_ROUTER_ORPHAN: 'the northbound database has a router that neutron does not have',
  OVN_ROUTER_PORT_ORPHAN: 'the northbound database has a port of a router that neutron does not have',
  OVN_SECURITY_GROUP_ORPHAN: 'the northbound database has a security group that neutron does not have',
  OVN_FLOATING_IP_ORPHAN:
    'the northbound database translates a floating IP address that neutron does not have',
  OVN_DHCP_ORPHAN: 'the northbound database has DHCP options of a subnet that neutron does not have',
  OVN_LOAD_BALANCER_ORPHAN: 'the northbound database has a load balancer that octavia does not have',
  CHASSIS_TWICE: 'two chassis of the southbound database have the same host name',
  CHASSIS_WITHOUT_NODE: 'a chassis of the southbound database belongs to no node',
  NODE_WITHOUT_CHASSIS: 'a node with Open vSwitch is not a chassis of the southbound database',
  CHASSIS_BEHIND: 'a chassis has not carried out the latest changes of the northbound database',
  PORT_ON_OTHER_CHASSIS: 'OVN binds a port to another chassis than neutron',
  PORT_WITHOUT_CHASSIS: 'OVN binds the port of a running server to no chassis',
  OVN_MEMBER_LEFT: 'a clustered database of OVN counts a member that has no pod',
  ORPHAN_OVS_PORT: 'Open vSwitch has a port that neutron does not have',
  OVS_PORT_OF_OTHER_HOST: 'Open vSwitch has a port that is bound to another host',
  OVS_PORT_WITHOUT_DEVICE: 'Open vSwitch has a port whose device does not exist',
  OVS_PORT_DOWN: 'the device of a running server is down in Open vSwitch',
  PORT_NOT_PLUGGED: 'Open vSwitch lacks the port of a running server',
  ATTACHMENT_WITHOUT_SERVER: 'a volume is attached to a server that does not exist',
  ATTACHMENT_UNKNOWN_TO_NOVA: 'a volume is attached to a server that does not use it',
  SERVER_VOLUME_MISSING: 'a server uses a volume that cinder does not have',
  SERVER_VOLUME_UNATTACHED: 'a server uses a volume that cinder does not attach to it',
  VOLUME_IN_USE_UNATTACHED: 'a volume is in use and has no attachment',
  VOLUME_AVAILABLE_ATTACHED: 'a volume is available and has an attachment',
  VOLUME_STUCK: 'the status of a volume has not progressed for an hour',
  SNAPSHOT_STUCK: 'the status of a snapshot has not progressed for an hour',
  SNAPSHOT_WITHOUT_VOLUME: 'a snapshot belongs to a volume that does not exist',
  VOLUME_BACKEND_UNKNOWN: 'a volume belongs to a backend that has no service',
  VOLUME_WITHOUT_IMAGE: 'Ceph lacks the image of a volume',
  IMAGE_WITHOUT_VOLUME: 'Ceph has the image of a volume that does not exist',
  VOLUME_OPEN_WHILE_AVAILABLE: 'a client has opened the image of a volume that is available',
  VOLUME_WITHOUT_CLIENT: 'no client has opened the image of a volume of a running server',
  VOLUME_OPENED_TWICE: 'clients on two addresses have opened the image of a volume',
  DISK_WITHOUT_SERVER: 'Ceph has the disk of a server that does not exist',
  DISK_MISSING: 'Ceph lacks a disk of a domain',
  DISK_OPENED_TWICE: 'clients on two addresses have opened the disk of a server',
  IMAGE_DATA_MISSING: 'Ceph lacks the data of an image of glance',
  IMAGE_DATA_ORPHAN: 'Ceph has the data of an image that glance does not have',
  QUEUE_LACKS_REPLICAS: 'a queue or stream has fewer replicas than RabbitMQ has members for it',
  QUEUE_REPLICA_OFFLINE: 'a replica of a queue or stream is offline although its member runs',
  QUEUE_REPLICA_ON_REMOVED_MEMBER: 'a queue has a replica on a member that was removed',
  QUEUE_WITHOUT_LEADER: 'a queue or stream has no leader',
  BUS_MEMBER_DOWN: 'a member of RabbitMQ is not running',
  SCHEMA_BEHIND: 'a database lacks migrations that the image of its service has',
  SCHEMA_AHEAD: 'a database has migrations that the image of its service does not have',
  CERTIFICATE_ENDS: 'a certificate has expired, or expires soon',
  PROJECT_MISSING: 'a server, volume, network or router belongs to a project that does not exist',
} as const

export type FindingKind = keyof typeof KINDS
