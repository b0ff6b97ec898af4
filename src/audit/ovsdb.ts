import type {Northbound, Raft, Southbound, Switch} from './facts.ts'

type Ids = Readonly<Record<string, string>>

/** What the collector `ovsdb` prints. An empty optional column is an empty list. */
export interface OvsdbTables {
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  readonly members: readonly {readonly id: string; readonly address: string}[] | null
}

export function northboundOf({tables, members}: OvsdbTables, pods: readonly string[]): Northbound {
  const named = (table: string) =>
    (tables[table] ?? []).map((row) => ({
      name: String(row.name ?? ''),
      type: String(row.type ?? ''),
      uuid: String(row._uuid ?? ''),
      ids: row.external_ids as Ids,
    }))
  return {
    switches: named('Logical_Switch'),
    ports: named('Logical_Switch_Port'),
    routers: named('Logical_Router'),
    routerPorts: named('Logical_Router_Port'),
    nats: named('NAT'),
    groups: named('Port_Group'),
    dhcp: named('DHCP_Options'),
    balancers: named('Load_Balancer'),
    sequence: Number(tables.NB_Global?.[0]?.nb_cfg ?? 0),
    members: raft('OVN_Northbound', members, pods),
  }
}

export function southboundOf({tables, members}: OvsdbTables, pods: readonly string[]): Southbound {
  return {
    chassis: (tables.Chassis ?? []).map(({_uuid, name, hostname}) => ({
      uuid: String(_uuid),
      name: String(name),
      hostname: String(hostname),
    })),
    bindings: (tables.Port_Binding ?? []).map(({logical_port, type, chassis}) => ({
      port: String(logical_port),
      type: String(type),
      chassis: text(chassis),
    })),
    followed: new Map((tables.Chassis_Private ?? []).map(({name, nb_cfg}) => [String(name), Number(nb_cfg)])),
    agents: new Map(
      (tables.Chassis_Private ?? []).map(({name, external_ids}) => [
        String(name),
        (external_ids ?? {}) as Ids,
      ]),
    ),
    members: raft('OVN_Southbound', members, pods),
  }
}

export function switchOf({tables}: OvsdbTables): Switch {
  const ids = tables.Open_vSwitch?.[0]?.external_ids as Ids | undefined
  return {
    systemId: ids?.['system-id'],
    interfaces: (tables.Interface ?? []).map(({name, error, admin_state: state, external_ids}) => ({
      name: String(name),
      error: text(error),
      isDown: text(state) === 'down',
      ids: external_ids as Ids,
    })),
  }
}

/** Returns the value of an optional column. */
function text(value: unknown): string | undefined {
  const present = Array.isArray(value) ? value[0] : value
  return present === undefined || present === '' ? undefined : String(present)
}

function raft(database: string, servers: OvsdbTables['members'], pods: readonly string[]): Raft | undefined {
  return servers === null || servers.length === 0 ? undefined : {database, servers, pods}
}
