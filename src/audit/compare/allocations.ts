import type {Placement, Server} from '../facts.ts'
import type {Finding} from '../finding.ts'
import {isSettled, type Servers} from '../index-facts.ts'
import {ALLOCATIONS, client, deleteAllocations, NOVA_MANAGE, safely} from '../repairs.ts'

/** States in which a server holds resources of its host. */
const HOLDS = new Set(['active', 'stopped', 'paused', 'suspended', 'rescued'])

type Allocation = Placement['allocations'][number]

/** Compares the servers of nova with the allocations and providers of Placement. */
export function compareAllocations(placement: Placement, servers: Servers): readonly Finding[] {
  const byConsumer = Map.groupBy(placement.allocations, ({consumer}) => consumer)
  const providers = new Map(placement.providers.map((provider) => [provider.uuid, provider]))
  const nodes = servers.cells.flatMap(([, cell]) => cell.nodes)
  const roots = new Map(placement.providers.map(({uuid, root}) => [uuid, root]))
  const migrations = new Set(servers.cells.flatMap(([, cell]) => cell.migrations.map(({uuid}) => uuid)))
  const orphans = [...byConsumer].filter(
    ([consumer, each]) =>
      servers.isMissing(consumer) &&
      !migrations.has(consumer) &&
      each.every((allocation) => isSettled(allocation)),
  )
  const holders = [...servers.byId.values()].filter(
    ({uuid, host, vm_state}) => host !== null && HOLDS.has(vm_state ?? '') && !servers.isBusy(uuid),
  )
  return [
    // Ironic, blazar and others have consumers of their own; those on compute nodes are nova's.
    ...orphans.flatMap(([consumer, each]) => orphan(consumer, each, {providers, roots, nodes})),
    ...holders.flatMap((server) => judge(server, byConsumer.get(server.uuid) ?? [], {servers, roots, nodes})),
    ...nodes
      .filter((node) => isSettled(node) && !providers.has(node.uuid))
      .map(({uuid, host, hypervisor_hostname: name}) => ({
        ...({kind: 'NODE_WITHOUT_PROVIDER', certainty: 'certain', ids: [uuid]} as const),
        what: `compute node ${name} of host ${host} has no resource provider ${uuid}`,
        repair: client(
          'openstack',
          'compute',
          'service',
          'list',
          '--host',
          host,
          '--service',
          'nova-compute',
        ),
      })),
    ...placement.providers
      .filter((provider) => isSettled(provider) && provider.computes > 0 && provider.root === provider.uuid)
      .filter(({uuid}) => !nodes.some((node) => node.uuid === uuid))
      .map(({uuid, name}) => ({
        ...({kind: 'PROVIDER_WITHOUT_NODE', certainty: 'likely', ids: [uuid]} as const),
        what: `resource provider ${name} (${uuid}) has memory, and nova has no such compute node`,
        repair: client('openstack', 'resource', 'provider', 'delete', uuid),
      })),
  ]
}

interface Nodes {
  readonly roots: ReadonlyMap<string, string>
  readonly nodes: readonly {
    readonly uuid: string
    readonly host: string
    readonly hypervisor_hostname: string
  }[]
}

function orphan(
  consumer: string,
  allocations: readonly Allocation[],
  {providers, roots, nodes}: Nodes & {readonly providers: ReadonlyMap<string, {readonly name: string}>},
): readonly Finding[] {
  const own = new Set(nodes.map(({uuid}) => uuid))
  const used = [...new Set(allocations.map(({provider}) => provider))].filter((provider) =>
    own.has(roots.get(provider) ?? provider),
  )
  return used.map((provider) => ({
    ...{kind: 'ORPHAN_ALLOCATION', certainty: 'certain', ids: [consumer, provider]},
    what: `${sizes(allocations, provider)} of ${providers.get(provider)?.name ?? provider} are reserved for ${consumer}, which is neither a server nor a migration`,
    repair: deleteAllocations(consumer),
  }))
}

function sizes(allocations: readonly Allocation[], provider: string): string {
  return allocations
    .filter((each) => each.provider === provider)
    .map((each) => `${each.used} ${each.class}`)
    .join(', ')
}

function judge(
  {uuid, host, node, vcpus, memory_mb: memory}: Server,
  allocations: readonly Allocation[],
  {servers, roots, nodes}: Nodes & {readonly servers: Servers},
): readonly Finding[] {
  const own = nodes.find((each) => each.host === host && each.hypervisor_hostname === node)
  if (!own) return []
  const name = servers.name(uuid)
  const heal = ['nova-manage', 'placement', 'heal_allocations', '--verbose', '--instance', uuid]
  const here = allocations.filter(({provider}) => (roots.get(provider) ?? provider) === own.uuid)
  const certain = {certainty: 'certain', ids: [uuid]} as const
  if (allocations.length === 0) {
    const what = `${name} is on ${host}, and Placement reserves nothing for it`
    return [{...certain, kind: 'ALLOCATION_MISSING', what, repair: safely(NOVA_MANAGE, heal, ALLOCATIONS)}]
  }
  const forced = safely(NOVA_MANAGE, [...heal, '--force'], ALLOCATIONS)
  if (here.length === 0) {
    const what = `${name} is on ${host}, and Placement reserves resources for it only on ${allocations[0]!.provider}`
    return [{...certain, kind: 'ALLOCATION_ON_OTHER_NODE', what, repair: forced}]
  }
  const sum = (...classes: readonly string[]) =>
    here.reduce((total, each) => total + (classes.includes(each.class) ? each.used : 0), 0)
  const [cpus, megabytes] = [sum('VCPU', 'PCPU'), sum('MEMORY_MB')]
  // A machine of ironic is one unit of a class of its own.
  if ((cpus === vcpus && megabytes === memory) || (cpus === 0 && megabytes === 0)) return []
  return [
    {
      // A flavor may state other resources than its size.
      ...{kind: 'ALLOCATION_DIFFERS', certainty: 'likely', ids: [uuid]},
      what: `${name} has ${vcpus} CPUs and ${memory} MiB, and Placement reserves ${cpus} and ${megabytes}`,
      repair: forced,
    },
  ]
}
