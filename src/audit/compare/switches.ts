import type {Facts, Neutron, Port, Switch} from '../facts.ts'
import type {Finding, Place, Repair} from '../finding.ts'
import {isOn, isSettled, type Servers, UUID} from '../index-facts.ts'
import {client, on, safely} from '../repairs.ts'
import {portName, serverPorts} from './ports.ts'

const SHOWN_BY = ['nova', 'neutron', 'openvswitch']
/** The ids of neutron's ports: other networks of a node may have names of their own. */
const PORT_ID = new RegExp(`^${UUID.source}$`)
/** The names of devices that nova, libvirt and neutron create. */
const OF_A_SERVER = /^(tap|qvo|vhu|vnet)/

/** Compares the ports of Open vSwitch with those of neutron. */
export function compareSwitches(facts: Facts, neutron: Neutron, servers: Servers): readonly Finding[] {
  const ports = new Map(neutron.ports.map((port) => [port.id, port]))
  return [
    ...[...facts.switches].flatMap(([node, {interfaces}]) =>
      interfaces.flatMap((each) => judge(each, {node, ports, servers})),
    ),
    ...notPlugged(facts, neutron, servers),
  ]
}

function judge(
  {name, error, isDown, ids}: Switch['interfaces'][number],
  {
    node,
    ports,
    servers,
  }: {readonly node: string; readonly ports: ReadonlyMap<string, Port>; readonly servers: Servers},
): readonly Finding[] {
  const [id, owner] = [ids['iface-id'], ids['vm-uuid']]
  if (owner !== undefined && servers.isBusy(owner)) return []
  const place: Place = {chart: 'openvswitch', components: ['db', 'vswitchd'], node}
  const command = ['ovs-vsctl', '--if-exists', 'del-port', name]
  const found = (kind: Finding['kind'], what: string, repair: Repair): readonly Finding[] => [
    {
      kind,
      certainty: 'certain',
      ids: [node, name],
      what: `Open vSwitch on ${node} has port ${name} ${what}`,
      repair,
    },
  ]
  const port = id === undefined ? undefined : ports.get(id)
  if (id !== undefined && !port) {
    if (!PORT_ID.test(id)) return []
    // Nova may still be detaching the device of a server that exists.
    const isUsed = owner !== undefined && servers.byId.has(owner)
    const repair = isUsed ? on(place, command) : safely(place, command, SHOWN_BY)
    return found('ORPHAN_OVS_PORT', `for port ${id}, which neutron does not have`, repair)
  }
  // The port of a server that is here is in use, and bound wrongly.
  const isStale = port && isElsewhere(port, node) && servers.byId.get(port.device_id)?.host !== node
  if (isStale && isSettled(port) && !servers.isBusy(port.device_id))
    return found(
      'OVS_PORT_OF_OTHER_HOST',
      `for ${portName(port)}, which is bound to ${port.host}`,
      on(place, command),
    )
  if ((error === undefined && !isDown) || !OF_A_SERVER.test(name)) return []
  // The device of a server that is stopped is gone, and its port stays.
  const server = port && servers.byId.get(port.device_id)
  if (port && (!isSettled(port) || servers.isBusy(port.device_id) || !server || !isOn(server))) return []
  if (error === undefined) {
    if (!port) return []
    const withLinks: Place = {chart: 'openvswitch', components: ['vswitchd'], node}
    const repair = on(withLinks, ['ip', 'link', 'set', 'dev', name, 'up'])
    return found('OVS_PORT_DOWN', `for ${portName(port)}, whose device is down`, repair)
  }
  const repair = port
    ? client('openstack', 'server', 'reboot', '--hard', port.device_id)
    : safely(place, command, SHOWN_BY)
  return found('OVS_PORT_WITHOUT_DEVICE', `whose device fails: ${error}`, repair)
}

function isElsewhere({device_owner: owner, host}: Port, node: string): boolean {
  return owner.startsWith('compute:') && host !== null && host !== '' && host !== node
}

function notPlugged({switches}: Facts, neutron: Neutron, servers: Servers): readonly Finding[] {
  return serverPorts(neutron).flatMap((port): readonly Finding[] => {
    const [server, local] = [servers.byId.get(port.device_id), switches.get(port.host ?? '')]
    if (!server || !isOn(server) || !local || server.host !== port.host) return []
    if (
      !isSettled(port) ||
      servers.isBusy(server.uuid) ||
      !['ovs', 'vhostuser'].includes(port.vif_type ?? '')
    )
      return []
    if (local.interfaces.some(({ids}) => ids['iface-id'] === port.id)) return []
    return [
      {
        ...{kind: 'PORT_NOT_PLUGGED', certainty: 'certain', ids: [port.id]},
        what: `Open vSwitch on ${port.host} lacks ${portName(port)} of ${servers.name(server.uuid)}, which is active`,
        repair: client('openstack', 'server', 'reboot', '--hard', server.uuid),
      },
    ]
  })
}
