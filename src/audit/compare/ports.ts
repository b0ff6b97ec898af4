import type {Neutron, Octavia, Port} from '../facts.ts'
import type {Finding} from '../finding.ts'
import {isOn, isSettled, type Servers} from '../index-facts.ts'
import {client} from '../repairs.ts'

/**
 * How ports of virtual machines are bound; others are bound to machines of ironic, or to devices of a node.
 */
const OF_A_SWITCH = ['ovs', 'vhostuser', 'binding_failed']

/** Returns the ports of nova's servers, not those of other users of nova's owner names. */
export function serverPorts({ports}: Neutron): readonly Port[] {
  return ports.filter(({device_owner: owner}) => owner.startsWith('compute:') && owner !== 'compute:kuryr')
}

/** Compares the servers of nova with the ports of neutron. */
export function comparePorts(neutron: Neutron, servers: Servers): readonly Finding[] {
  const ports = serverPorts(neutron).filter(isSettled)
  const known = new Set(neutron.ports.map(({id}) => id))
  return [
    ...ports
      .filter(({device_id}) => servers.isMissing(device_id))
      .map((port) => ({
        ...({kind: 'PORT_WITHOUT_SERVER', certainty: 'certain', ids: [port.id]} as const),
        what: `${portName(port)} belongs to server ${port.device_id}, which does not exist`,
        repair: client('openstack', 'port', 'delete', port.id),
      })),
    ...servers.cells.flatMap(([, {interfaces}]) =>
      interfaces
        .filter((each) => isSettled(each) && !known.has(each.port) && !servers.isBusy(each.instance_uuid))
        .map(({instance_uuid: server, port}) => ({
          ...({kind: 'SERVER_PORT_MISSING', certainty: 'certain', ids: [server, port]} as const),
          what: `${servers.name(server)} uses port ${port}, which neutron does not have`,
          repair: client('openstack', 'server', 'remove', 'port', server, port),
        })),
    ),
    ...ports.flatMap((port) => judgePort(port, servers)),
  ]
}

function judgePort(port: Port, servers: Servers): readonly Finding[] {
  const server = servers.byId.get(port.device_id)
  if (!server || server.host === null || servers.isBusy(server.uuid)) return []
  if (!OF_A_SWITCH.includes(port.vif_type ?? '')) return []
  const {id, host, vif_type: vif, status} = port
  const name = `${portName(port)} of ${servers.name(server.uuid)}`
  const certain = {certainty: 'certain', ids: [id]} as const
  const bind = client('openstack', 'port', 'set', '--host', server.host, id)
  if (vif === 'binding_failed')
    return [
      {...certain, kind: 'PORT_BINDING_FAILED', what: `${name} could not be bound on ${host}`, repair: bind},
    ]
  if (host && host !== server.host) {
    const what = `${name} is bound to ${host}, and the server is on ${server.host}`
    return [{...certain, kind: 'PORT_ON_OTHER_HOST', what, repair: bind}]
  }
  if (!isOn(server) || status !== 'DOWN' || !port.admin_state_up || !host) return []
  return [
    {
      ...{kind: 'PORT_DOWN', certainty: 'likely', ids: [id]},
      what: `${name} is down, and the server is active on ${server.host}`,
      repair: client('openstack', 'server', 'reboot', '--hard', server.uuid),
    },
  ]
}

/**
 * Compares ports with the nodes that octavia's health manager runs on, and load balancers with their ports.
 */
export function compareOctavia(
  neutron: Neutron,
  {octavia, nodes}: {readonly octavia: Octavia; readonly nodes: ReadonlySet<string>},
): readonly Finding[] {
  const known = new Set(neutron.ports.map(({id}) => id))
  return [
    ...neutron.ports
      .filter((port) => port.device_owner === 'Octavia:health-mgr' && isSettled(port))
      .filter(({host}) => host && !nodes.has(host))
      .map((port) => ({
        ...({kind: 'PORT_OF_REMOVED_NODE', certainty: 'likely', ids: [port.id]} as const),
        what: `${portName(port)} of octavia's health manager is bound to ${port.host}, which is no node`,
        repair: client('openstack', 'port', 'delete', port.id),
      })),
    ...octavia.balancers
      .filter((each) => isSettled(each) && !/^PENDING|^DELETED/.test(each.provisioning_status ?? ''))
      .filter(({port_id: port}) => port !== null && !known.has(port))
      .map(({id, name, port_id: port}) => ({
        ...({kind: 'LOAD_BALANCER_PORT_MISSING', certainty: 'certain', ids: [id]} as const),
        what: `load balancer ${id} (${name}) uses port ${port}, which neutron does not have`,
        repair: client('openstack', 'loadbalancer', 'failover', id),
      })),
  ]
}

export function portName({id, name}: Pick<Port, 'id' | 'name'>): string {
  return name === '' ? `port ${id}` : `port ${id} (${name})`
}
