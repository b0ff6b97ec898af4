import type {Neutron, Northbound, Octavia} from '../facts.ts'
import type {Finding, FindingKind} from '../finding.ts'
import {isSettled, UUID} from '../index-facts.ts'
import {NBCTL, NORTHBOUND, OVN_SYNC, on} from '../repairs.ts'
import {portName} from './ports.ts'

/** Neutron marks what it writes with this key (neutron: common/ovn/constants.py). */
const REVISION = 'neutron:revision_number'

/** Compares the resources of neutron with the northbound database of OVN, in both directions. */
export function compareNorthbound(neutron: Neutron, northbound: Northbound): readonly Finding[] {
  return [...missing(neutron, northbound), ...orphans(neutron, northbound)]
}

function missing(neutron: Neutron, northbound: Northbound): readonly Finding[] {
  const names = (rows: readonly {readonly name: string}[]) => new Set(rows.map(({name}) => name))
  const translated = new Set(northbound.nats.map(({ids}) => ids['neutron:fip_id']))
  const [switches, ports] = [names(northbound.switches), names(northbound.ports)]
  const [routers, groups] = [names(northbound.routers), names(northbound.groups)]
  const found = (kind: FindingKind, id: string, what: string): Finding => ({
    ...{kind, certainty: 'certain', ids: [id]},
    what: `${what} is not in the northbound database`,
    repair: OVN_SYNC,
  })
  const lost = <T extends {readonly age: number}>(rows: readonly T[], isThere: (row: T) => boolean) =>
    rows.filter((row) => isSettled(row) && !isThere(row))
  return [
    ...lost(neutron.networks, ({id}) => switches.has(`neutron-${id}`)).map(({id, name}) =>
      found('NETWORK_NOT_IN_OVN', id, `network ${id} (${name})`),
    ),
    // Floating IP addresses have ports in neutron alone (neutron: common/ovn/utils.py is_lsp_ignored).
    ...lost(
      neutron.ports.filter(({device_owner}) => device_owner !== 'network:floatingip'),
      ({id}) => ports.has(id),
    ).map((port) => found('PORT_NOT_IN_OVN', port.id, portName(port))),
    ...lost(neutron.routers, ({id}) => routers.has(`neutron-${id}`)).map(({id, name}) =>
      found('ROUTER_NOT_IN_OVN', id, `router ${id} (${name})`),
    ),
    ...lost(neutron.groups, ({id}) => groups.has(`pg_${id.replaceAll('-', '_')}`)).map(({id, name}) =>
      found('SECURITY_GROUP_NOT_IN_OVN', id, `security group ${id} (${name})`),
    ),
    ...lost(
      neutron.addresses.filter((each) => each.router_id !== null && each.fixed_port_id !== null),
      ({id}) => translated.has(id),
    ).map(({id, address}) => found('FLOATING_IP_NOT_IN_OVN', id, `floating IP address ${address} (${id})`)),
  ]
}

function orphans(neutron: Neutron, northbound: Northbound): readonly Finding[] {
  const ids = (rows: readonly {readonly id: string}[]) => new Set(rows.map(({id}) => id))
  const [networks, ports, routers] = [ids(neutron.networks), ids(neutron.ports), ids(neutron.routers)]
  const [groups, addresses, subnets] = [ids(neutron.groups), ids(neutron.addresses), ids(neutron.subnets)]
  const orphan = (kind: FindingKind, id: string, what: string): Finding => ({
    ...{kind, certainty: 'certain', ids: [id]},
    what: `the northbound database has ${what}, which neutron does not have`,
    repair: OVN_SYNC,
  })
  const named =
    (kind: FindingKind, what: string, known: ReadonlySet<string>) =>
    ({name}: {readonly name: string}): readonly Finding[] => {
      const id = UUID.exec(name)?.[0]
      return id === undefined || known.has(id) ? [] : [orphan(kind, id, `${what} ${id}`)]
    }
  const isOfNeutron = ({ids: each}: {readonly ids: Readonly<Record<string, string>>}) => REVISION in each
  const referring =
    (
      kind: FindingKind,
      {key, what, known}: {readonly key: string; readonly what: string; readonly known: ReadonlySet<string>},
    ) =>
    ({ids: each}: {readonly ids: Readonly<Record<string, string>>}): readonly Finding[] => {
      const id = each[key]
      return id === undefined || known.has(id) ? [] : [orphan(kind, id, `${what} ${id}`)]
    }
  return [
    ...northbound.switches.filter(isOfNeutron).flatMap(named('OVN_NETWORK_ORPHAN', 'network', networks)),
    ...northbound.ports
      .filter((each) => isOfNeutron(each) && each.type !== 'localnet')
      .flatMap(named('OVN_PORT_ORPHAN', 'port', ports)),
    ...northbound.routers.filter(isOfNeutron).flatMap(named('OVN_ROUTER_ORPHAN', 'router', routers)),
    ...northbound.routerPorts
      .filter((each) => isOfNeutron(each) && each.name.startsWith('lrp-'))
      .flatMap(named('OVN_ROUTER_PORT_ORPHAN', 'the port of a router', ports)),
    ...northbound.groups.flatMap(
      referring('OVN_SECURITY_GROUP_ORPHAN', {
        ...{key: 'neutron:security_group_id', what: 'security group', known: groups},
      }),
    ),
    ...northbound.nats.flatMap(
      referring('OVN_FLOATING_IP_ORPHAN', {
        ...{key: 'neutron:fip_id', what: 'a translation of the floating IP address', known: addresses},
      }),
    ),
    ...northbound.dhcp.flatMap(
      referring('OVN_DHCP_ORPHAN', {key: 'subnet_id', what: 'DHCP options of subnet', known: subnets}),
    ),
  ]
}

/**
 * Compares the load balancers of octavia's provider with those of the northbound database, which no tool
 * syncs.
 */
export function compareLoadBalancers(octavia: Octavia, northbound: Northbound): readonly Finding[] {
  const known = new Set(octavia.balancers.map(({id}) => id))
  return northbound.balancers.flatMap(({uuid, name, ids}): readonly Finding[] => {
    const id = UUID.exec(name)?.[0]
    if (id === undefined || !name.startsWith(id) || !('neutron:vip_port_id' in ids) || known.has(id))
      return []
    return [
      {
        ...{kind: 'OVN_LOAD_BALANCER_ORPHAN', certainty: 'certain', ids: [id, uuid]},
        what: `the northbound database has load balancer ${name}, which octavia does not have`,
        repair: on(NORTHBOUND, [...NBCTL, 'lb-del', uuid]),
      },
    ]
  })
}
