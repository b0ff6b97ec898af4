import type {Facts, Server} from '../facts.ts'
import type {Finding, Repair} from '../finding.ts'
import {hypervisorOf, isSettled, type Servers, STUCK_SECONDS} from '../index-facts.ts'
import {client, NOVA_MANAGE, on, sql} from '../repairs.ts'

/** States in which libvirt has the domain of a server. */
const WITH_DOMAIN = new Set(['active', 'stopped', 'paused', 'suspended', 'rescued', 'resized'])
const RUNNING = 'running'
const SHUT_OFF = 'shut off'

/** Compares the servers of nova with the domains of libvirt. */
export function compareDomains(facts: Facts, servers: Servers): readonly Finding[] {
  const places = new Map<string, {readonly node: string; readonly state: string; readonly name: string}[]>()
  for (const [node, {domains}] of facts.hypervisors)
    for (const {uuid, state, name} of domains)
      places.set(uuid, [...(places.get(uuid) ?? []), {node, state, name}])
  const orphans = [...places].filter(([uuid]) => servers.isMissing(uuid))
  return [
    ...orphans.flatMap(([uuid, at]) =>
      at.map(({node, state, name}): Finding => {
        const command = ['sh', '-c', `virsh destroy ${uuid}; virsh undefine --nvram ${uuid}`]
        return {
          kind: 'DOMAIN_WITHOUT_SERVER',
          certainty: name.startsWith('instance-') ? 'certain' : 'likely',
          ids: [uuid, node],
          what: `domain ${name} (${uuid}) on ${node} is ${state}, and nova has no such server`,
          repair: on({chart: 'libvirt', components: ['libvirt'], node}, command),
        }
      }),
    ),
    ...[...servers.byId.values()].flatMap((server) => {
      const isComparable = WITH_DOMAIN.has(server.vm_state ?? '') && !servers.isBusy(server.uuid)
      const own = server.host !== null ? hypervisorOf(facts, servers, server.host) : undefined
      return isComparable && own
        ? compareDomain(server, own.hostname, {facts, servers, at: places.get(server.uuid) ?? []})
        : []
    }),
  ]
}

function compareDomain(
  {uuid, host, vm_state: vmState}: Server,
  hostname: string,
  {
    facts,
    servers,
    at,
  }: {
    readonly facts: Facts
    readonly servers: Servers
    readonly at: readonly {readonly node: string; readonly state: string}[]
  },
): readonly Finding[] {
  const name = servers.name(uuid)
  const reboot = client('openstack', 'server', 'reboot', '--hard', uuid)
  const running = at.filter(({state}) => state === RUNNING)
  const isOwn = ({node}: {readonly node: string}) =>
    node === host || facts.hypervisors.get(node)?.hostname === hostname
  const certain = {certainty: 'certain', ids: [uuid]} as const
  if (running.length > 1) {
    const nodes = running.map(({node}) => node).join(' and ')
    const other = running.find((each) => !isOwn(each))?.node ?? running[1]!.node
    const repair = on({chart: 'libvirt', components: ['libvirt'], node: other}, ['virsh', 'destroy', uuid])
    return [
      {...certain, kind: 'SERVER_RUNS_TWICE', what: `${name} runs on ${nodes}; nova records ${host}`, repair},
    ]
  }
  const own = at.find(isOwn)
  if (!own && at.length > 0)
    return [
      {
        ...certain,
        kind: 'SERVER_ON_OTHER_NODE',
        what: `${name} is on ${at[0]!.node}, and nova records ${host}`,
        repair: moved(uuid, at[0]!.node, facts.hypervisors.get(at[0]!.node)?.hostname, servers),
      },
    ]
  // A server that was moved away may be on a node that could not be asked.
  if (!own) {
    if ([...facts.nodes].some((node) => !facts.hypervisors.has(node))) return []
    return [
      {
        ...certain,
        kind: 'SERVER_WITHOUT_DOMAIN',
        what: `${name} is ${vmState} on ${host}, and libvirt has no domain for it`,
        repair: reboot,
      },
    ]
  }
  const differs =
    (vmState === 'active' && own.state === SHUT_OFF) || (vmState === 'stopped' && own.state === RUNNING)
  return differs
    ? [
        {
          ...{kind: 'SERVER_POWER_DIFFERS', certainty: 'likely', ids: [uuid]},
          what: `${name} is ${vmState}, and its domain on ${host} is ${own.state}`,
          repair: vmState === 'active' ? reboot : client('openstack', 'server', 'stop', uuid),
        },
      ]
    : []
}

/** Returns a statement that records a server on the host and node of a libvirt. */
function moved(uuid: string, at: string, hostname: string | undefined, {cells}: Servers): Repair {
  const nodes = cells.flatMap(([, cell]) => cell.nodes)
  const to = nodes.find(({hypervisor_hostname: name}) => name === hostname)
  const [host, node] = [to?.host ?? at, to?.hypervisor_hostname ?? hostname ?? at]
  return sql('nova', `UPDATE instances SET host = '${host}', node = '${node}' WHERE uuid = '${uuid}'`)
}

/** Compares what nova records: tasks, hosts, mappings to cells, and requests to build. */
export function compareNova({nova}: Facts, servers: Servers): readonly Finding[] {
  if (!nova) return []
  const computes = new Set(
    servers.cells.flatMap(([, {services}]) =>
      services.filter(({binary}) => binary === 'nova-compute').map(({host}) => host),
    ),
  )
  const mapped = new Set(nova.mappings.map(({instance_uuid}) => instance_uuid))
  const cellId = new Map(nova.cellIds.map(({name, uuid}) => [name, uuid]))
  const builds = new Set(nova.builds.map(({instance_uuid}) => instance_uuid))
  return [
    ...[...servers.byId.values()].flatMap((server) => judgeServer(server, {computes, servers})),
    ...servers.cells.flatMap(([cell, {servers: each}]) =>
      each
        .filter((server) => !mapped.has(server.uuid) && isSettled(server))
        .map(({uuid}) => ({
          ...({kind: 'SERVER_WITHOUT_MAPPING', certainty: 'certain', ids: [uuid]} as const),
          what: `${servers.name(uuid)} is in cell ${cell}, and the API has no mapping for it`,
          repair: mapInstances(cellId.get(cell) ?? cell),
        })),
    ),
    ...nova.mappings
      .filter((each) => each.cell !== null && !each.queued_for_delete && isSettled(each))
      .filter(({instance_uuid: uuid}) => servers.isMissing(uuid) && !builds.has(uuid))
      .map(({instance_uuid: uuid, cell}) => ({
        ...({kind: 'MAPPING_WITHOUT_SERVER', certainty: 'certain', ids: [uuid]} as const),
        what: `the API maps server ${uuid} to cell ${cell}, which has no such server`,
        repair: sql('nova_api', `DELETE FROM instance_mappings WHERE instance_uuid = '${uuid}'`),
      })),
    ...nova.builds
      .filter(({age}) => age >= STUCK_SECONDS)
      .map(({instance_uuid: uuid}) => ({
        ...({kind: 'BUILD_REQUEST_LEFT', certainty: 'likely', ids: [uuid]} as const),
        what: `the request to build server ${uuid} is older than an hour`,
        repair: sql('nova_api', `DELETE FROM build_requests WHERE instance_uuid = '${uuid}'`),
      })),
    ...unmappedHosts(servers, new Set(nova.hosts.map(({host}) => host))),
  ]
}

function mapInstances(cell: string): Repair {
  return on(NOVA_MANAGE, ['nova-manage', 'cell_v2', 'map_instances', '--cell_uuid', cell, '--reset'])
}

function judgeServer(
  server: Server,
  {computes, servers}: {readonly computes: ReadonlySet<string>; readonly servers: Servers},
): readonly Finding[] {
  const {uuid, host, task_state: task, age} = server
  const name = servers.name(uuid)
  if (task !== null && age >= STUCK_SECONDS)
    return [
      {
        ...{kind: 'SERVER_STUCK', certainty: 'likely', ids: [uuid]},
        what: `${name} has been ${task} for ${Math.round(age / 60)} minutes`,
        repair: client('openstack', 'server', 'set', '--state', 'error', uuid),
      },
    ]
  if (host === null || computes.has(host) || servers.isBusy(uuid)) return []
  return [
    {
      ...{kind: 'SERVER_HOST_UNKNOWN', certainty: 'certain', ids: [uuid]},
      what: `${name} is on host ${host}, which has no compute service`,
      repair: client('openstack', 'server', 'evacuate', uuid),
    },
  ]
}

function unmappedHosts({cells}: Servers, mapped: ReadonlySet<string>): readonly Finding[] {
  const nodes = cells.flatMap(([, cell]) => cell.nodes)
  const hosts = new Set(nodes.filter(isSettled).map(({host}) => host))
  return [...hosts]
    .filter((host) => !mapped.has(host))
    .map((host) => ({
      ...{kind: 'HOST_WITHOUT_MAPPING', certainty: 'certain', ids: [host]},
      what: `compute host ${host} is in no cell mapping, so no server is scheduled to it`,
      repair: on(NOVA_MANAGE, ['nova-manage', 'cell_v2', 'discover_hosts', '--verbose']),
    }))
}
