/**
 * The facts that an audit compares, as the collectors print them. A part is undefined if its service is not
 * deployed, or could not be asked. Ages are in seconds since the last change of a row, by the database's
 * clock.
 */
export interface Facts {
  readonly nova?: Nova | undefined
  readonly placement?: Placement | undefined
  readonly neutron?: Neutron | undefined
  readonly cinder?: Cinder | undefined
  readonly glance?: Glance | undefined
  readonly keystone?: Keystone | undefined
  readonly octavia?: Octavia | undefined
  readonly northbound?: Northbound | undefined
  readonly southbound?: Southbound | undefined
  /** Open vSwitch by node. */
  readonly switches: ReadonlyMap<string, Switch>
  /** libvirt by node. */
  readonly hypervisors: ReadonlyMap<string, Hypervisor>
  /** The nodes that run Open vSwitch or libvirt, whether they could be asked or not. */
  readonly nodes: ReadonlySet<string>
  /** The images in the pools of cinder, nova and glance. */
  readonly volumePools?: Pools | undefined
  readonly serverPools?: Pools | undefined
  readonly imagePools?: Pools | undefined
  readonly buses: readonly Bus[]
  readonly schemas: readonly Schema[]
}

/** The rows of a database. A null of SQL is null. */
type Row<Keys extends string> = Readonly<Record<Keys, string>>
type Nullable<Keys extends string> = Readonly<Record<Keys, string | null>>
interface Aged {
  readonly age: number
}

export interface Server
  extends Row<'uuid' | 'display_name'>,
    Nullable<'host' | 'node' | 'vm_state' | 'task_state' | 'project_id'>,
    Aged {
  readonly power_state: number | null
  readonly vcpus: number
  readonly memory_mb: number
}

export interface Cell {
  readonly servers: readonly Server[]
  /** Servers that were deleted in the last minutes. */
  readonly gone: readonly Row<'uuid'>[]
  readonly services: readonly Row<'host' | 'binary'>[]
  readonly nodes: readonly (Row<'uuid' | 'host' | 'hypervisor_hostname'> & Aged)[]
  readonly volumes: readonly (Row<'instance_uuid' | 'volume_id'> & Nullable<'attachment_id'> & Aged)[]
  readonly interfaces: readonly (Row<'instance_uuid' | 'port'> & Aged)[]
  readonly migrations: readonly Row<'uuid' | 'instance_uuid'>[]
}

export interface Nova {
  readonly mappings: readonly (Row<'instance_uuid'> &
    Nullable<'cell'> &
    Aged & {readonly queued_for_delete: number | null})[]
  readonly builds: readonly (Row<'instance_uuid'> & Aged)[]
  readonly hosts: readonly Row<'host'>[]
  readonly cellIds: readonly Row<'name' | 'uuid'>[]
  readonly cells: Readonly<Record<string, Cell>>
}

export interface Placement {
  readonly providers: readonly (Row<'uuid' | 'name' | 'root'> & Aged & {readonly computes: number})[]
  readonly allocations: readonly (Row<'consumer' | 'provider' | 'class'> & Aged & {readonly used: number})[]
}

export interface Port
  extends Row<'id' | 'name' | 'network_id' | 'device_id' | 'device_owner' | 'status'>,
    Nullable<'host' | 'vif_type' | 'project_id'>,
    Aged {
  readonly admin_state_up: number
}

type Named = Row<'id' | 'name'> & Nullable<'project_id'> & Aged

export interface Neutron {
  readonly ports: readonly Port[]
  readonly networks: readonly Named[]
  readonly routers: readonly Named[]
  readonly groups: readonly Named[]
  readonly addresses: readonly (Row<'id' | 'address'> & Nullable<'router_id' | 'fixed_port_id'> & Aged)[]
  readonly subnets: readonly (Row<'id' | 'network_id'> & Aged)[]
}

export interface Volume
  extends Row<'id' | 'status'>,
    Nullable<'name' | 'host' | 'name_id' | 'migration_status' | 'project_id'>,
    Aged {
  readonly multiattach: number
}

export interface Cinder {
  readonly volumes: readonly Volume[]
  readonly attachments: readonly (Row<'id' | 'volume_id'> &
    Nullable<'instance_uuid' | 'attach_status'> &
    Aged)[]
  readonly snapshots: readonly (Row<'id' | 'volume_id' | 'status'> & Aged)[]
  readonly services: readonly Row<'host' | 'binary'>[]
}

export interface Glance {
  readonly images: readonly (Row<'id' | 'status'> & Nullable<'name'> & Aged)[]
  /** Locations in Ceph alone: others may contain credentials. */
  readonly locations: readonly Row<'image_id' | 'value'>[]
}

interface Keystone {
  readonly projects: readonly Row<'id'>[]
}

export interface Octavia {
  readonly balancers: readonly (Row<'id'> & Nullable<'name' | 'port_id' | 'provisioning_status'> & Aged)[]
}

type Ids = Readonly<Record<string, string>>

export interface Northbound {
  readonly switches: readonly {readonly name: string; readonly ids: Ids}[]
  readonly ports: readonly {readonly name: string; readonly type: string; readonly ids: Ids}[]
  readonly routers: readonly {readonly name: string; readonly ids: Ids}[]
  readonly routerPorts: readonly {readonly name: string; readonly ids: Ids}[]
  readonly nats: readonly {readonly ids: Ids}[]
  readonly groups: readonly {readonly name: string; readonly ids: Ids}[]
  readonly dhcp: readonly {readonly uuid: string; readonly ids: Ids}[]
  readonly balancers: readonly {readonly uuid: string; readonly name: string; readonly ids: Ids}[]
  readonly sequence: number
  readonly members: Raft | undefined
}

export interface Southbound {
  readonly chassis: readonly {readonly uuid: string; readonly name: string; readonly hostname: string}[]
  readonly bindings: readonly {
    readonly port: string
    readonly type: string
    /** The UUID of the chassis. */
    readonly chassis: string | undefined
  }[]
  /** The last change of the northbound database that each chassis carried out, by its name. */
  readonly followed: ReadonlyMap<string, number>
  /** What neutron's agents report of themselves, by the name of their chassis, also of a deleted one. */
  readonly agents: ReadonlyMap<string, Ids>
  readonly members: Raft | undefined
}

/** The members of a clustered database of OVN. */
export interface Raft {
  readonly database: string
  readonly servers: readonly {readonly id: string; readonly address: string}[]
  /** The host names of its pods. */
  readonly pods: readonly string[]
}

export interface Switch {
  /** The name of the chassis. */
  readonly systemId: string | undefined
  readonly interfaces: readonly {
    readonly name: string
    readonly error: string | undefined
    /** Whether its device exists, and is down. */
    readonly isDown: boolean
    readonly ids: Ids
  }[]
}

export interface Hypervisor {
  readonly hostname: string
  readonly domains: readonly {
    readonly uuid: string
    readonly name: string
    readonly state: string
    readonly disks: readonly string[]
  }[]
}

/** The images of a service in Ceph. */
export interface Pools {
  /** Of each pool the images, with their clients. */
  readonly pools: Readonly<Record<string, Readonly<Record<string, readonly Client[]>>>>
  /** The pool of each section of the configuration. */
  readonly sections: Readonly<Record<string, string>>
}

interface Client {
  readonly address: string
  readonly client: number
}

export interface Bus {
  /** The release, as `namespace/name`. */
  readonly release: string
  readonly members: readonly string[]
  readonly running: readonly string[]
  readonly queues: readonly {
    readonly name: readonly [host: string, name: string]
    readonly type: string
    readonly state: string
    readonly members: readonly string[] | null
    readonly online: readonly string[] | null
    readonly leader: string | null
  }[]
}

export interface Schema {
  /** The service and its database, e.g. `nova api`. */
  readonly name: string
  readonly applied: readonly string[]
  /** The number of migrations in the image; null if they were not found. */
  readonly known: number | null
  readonly pending: readonly string[]
  readonly unknown: readonly string[]
}
