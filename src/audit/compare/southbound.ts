import type {Facts, Neutron, Raft, Southbound} from '../facts.ts'
import type {Finding, Repair} from '../finding.ts'
import {isOn, isSettled, type Servers} from '../index-facts.ts'
import {chassisDeletion, client, NORTHBOUND, on, SBCTL, SOUTHBOUND} from '../repairs.ts'
import {portName, serverPorts} from './ports.ts'

/** Changes that a chassis may carry out at the moment. */
const MAX_CHANGES_BEHIND = 3

/** Compares the chassis of OVN with the nodes that run Open vSwitch. */
export function compareChassis(facts: Facts, southbound: Southbound): readonly Finding[] {
  const {switches, nodes, northbound} = facts
  const systemIds = new Map([...switches].map(([node, {systemId}]) => [systemId, node]))
  const byHost = Map.groupBy(southbound.chassis, ({hostname}) => hostname)
  const remove = (name: string) => on(SOUTHBOUND, [...SBCTL, ...chassisDeletion(name)])
  const names = new Set(southbound.chassis.map(({name}) => name))
  const sequence = northbound?.sequence ?? 0
  // A chassis may be of a node that could not be asked.
  const isWhole = [...nodes].every((node) => switches.has(node))
  return [
    ...[...byHost]
      .filter(([, chassis]) => chassis.length > 1)
      .map(([host, chassis]): Finding => {
        const stale = chassis.find(({name}) => !systemIds.has(name)) ?? chassis[1]!
        const what = `host ${host} has the chassis ${chassis.map(({name}) => name).join(' and ')}`
        return {
          kind: 'CHASSIS_TWICE',
          certainty: isWhole ? 'certain' : 'likely',
          ids: [host, stale.name],
          what,
          repair: remove(stale.name),
        }
      }),
    ...southbound.chassis
      .filter(({name, hostname}) => isWhole && !nodes.has(hostname) && !systemIds.has(name))
      .filter(({hostname}) => byHost.get(hostname)!.length === 1)
      .map(({name, hostname}): Finding => {
        const what = `chassis ${name} of host ${hostname} belongs to no node that runs Open vSwitch`
        return {kind: 'CHASSIS_WITHOUT_NODE', certainty: 'likely', ids: [name], what, repair: remove(name)}
      }),
    ...[...switches]
      .filter(([, {systemId}]) => systemId !== undefined && !names.has(systemId))
      .map(([node, {systemId}]): Finding => {
        const what = `node ${node} has the system id ${systemId}, and the southbound database has no such chassis`
        return {
          kind: 'NODE_WITHOUT_CHASSIS',
          certainty: 'certain',
          ids: [node],
          what,
          repair: recompute(node),
        }
      }),
    ...[...southbound.followed]
      .filter(([name, followed]) => names.has(name) && sequence - followed > MAX_CHANGES_BEHIND)
      .map(([name, followed]): Finding => {
        const what = `chassis ${name} has carried out change ${followed} of ${sequence}`
        const repair = recompute(systemIds.get(name))
        return {kind: 'CHASSIS_BEHIND', certainty: 'likely', ids: [name], what, repair}
      }),
  ]
}

/** Lets a node's ovn-controller read its databases again, and register its chassis if that is missing. */
function recompute(node: string | undefined): Repair {
  const place = {chart: 'ovn', components: ['controller'], ...(node !== undefined && {node})}
  return on(place, ['ovn-appctl', '-t', '/run/ovn/controller.ctl', 'inc-engine/recompute'])
}

/** Compares the ports of servers with the chassis that OVN binds them to. */
export function compareBindings(
  neutron: Neutron,
  southbound: Southbound,
  servers: Servers,
): readonly Finding[] {
  const hosts = new Map(southbound.chassis.map(({uuid, hostname}) => [uuid, hostname]))
  const bindings = new Map(southbound.bindings.map((binding) => [binding.port, binding]))
  return serverPorts(neutron).flatMap((port): readonly Finding[] => {
    const [server, binding] = [servers.byId.get(port.device_id), bindings.get(port.id)]
    if (!server || !binding || binding.type !== '' || servers.isBusy(server.uuid) || !isSettled(port))
      return []
    if (!isOn(server) || !port.host) return []
    const name = `${portName(port)} of ${servers.name(server.uuid)}`
    const repair = client('openstack', 'server', 'reboot', '--hard', server.uuid)
    if (binding.chassis === undefined)
      return [
        {
          ...{kind: 'PORT_WITHOUT_CHASSIS', certainty: 'likely', ids: [port.id], repair},
          what: `OVN binds ${name} to no chassis, and the server is active on ${server.host}`,
        },
      ]
    const host = hosts.get(binding.chassis)
    if (host === undefined || host === port.host) return []
    const what = `OVN binds ${name} to ${host}, and neutron binds it to ${port.host}`
    return [{kind: 'PORT_ON_OTHER_CHASSIS', certainty: 'certain', ids: [port.id], what, repair}]
  })
}

/** Compares the members of OVN's clustered databases with their pods. */
export function compareMembers(members: Raft | undefined): readonly Finding[] {
  if (!members) return []
  const {database, servers, pods} = members
  const twice = new Set(
    servers.map(({address}) => address).filter((address, index, all) => all.indexOf(address) !== index),
  )
  return servers
    .filter(({address}) => !pods.some((pod) => address.includes(`:${pod}.`)) || twice.has(address))
    .map(({id, address}) => ({
      ...{kind: 'OVN_MEMBER_LEFT', certainty: twice.has(address) ? 'likely' : 'certain', ids: [database, id]},
      what: twice.has(address)
        ? `${database} has two members at ${address}; one of them is ${id}`
        : `${database} has member ${id} at ${address}, which is no pod`,
      repair: on(database === 'OVN_Northbound' ? NORTHBOUND : SOUTHBOUND, [
        ...['ovs-appctl', '-t', '/run/ovn/db.ctl', 'cluster/kick', database, id],
      ]),
    }))
}
