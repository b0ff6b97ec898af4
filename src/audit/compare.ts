import {compareAllocations} from './compare/allocations.ts'
import {compareBus} from './compare/bus.ts'
import {compareDisks, compareGlance, compareVolumeImages} from './compare/images.ts'
import {compareLoadBalancers, compareNorthbound} from './compare/northbound.ts'
import {compareOctavia, comparePorts} from './compare/ports.ts'
import {compareProjects, compareSchemas} from './compare/schemas.ts'
import {compareDomains, compareNova} from './compare/servers.ts'
import {compareBindings, compareChassis, compareMembers} from './compare/southbound.ts'
import {compareSwitches} from './compare/switches.ts'
import {compareVolumes} from './compare/volumes.ts'
import type {Facts} from './facts.ts'
import type {Finding} from './finding.ts'
import {indexServers} from './index-facts.ts'

/** Returns the inconsistencies of the facts. A comparison runs only if all facts that it needs were read. */
export function compare(facts: Facts): readonly Finding[] {
  const {nova, placement, neutron, cinder, glance, octavia, northbound, southbound} = facts
  const servers = nova && indexServers(nova)
  return [
    ...(servers ? [...compareDomains(facts, servers), ...compareNova(facts, servers)] : []),
    ...(servers && placement ? compareAllocations(placement, servers) : []),
    ...(servers && neutron ? comparePorts(neutron, servers) : []),
    ...(octavia && neutron ? compareOctavia(neutron, {octavia, nodes: facts.nodes}) : []),
    ...(neutron && northbound ? compareNorthbound(neutron, northbound) : []),
    ...(octavia && northbound ? compareLoadBalancers(octavia, northbound) : []),
    ...(southbound ? compareChassis(facts, southbound) : []),
    ...(neutron && southbound && servers ? compareBindings(neutron, southbound, servers) : []),
    ...[northbound, southbound].flatMap((database) => compareMembers(database?.members)),
    ...(servers && neutron ? compareSwitches(facts, neutron, servers) : []),
    ...(servers && cinder ? compareVolumes(cinder, servers) : []),
    ...(cinder ? compareVolumeImages(facts, cinder, servers) : []),
    ...(servers ? compareDisks(facts, servers) : []),
    ...(glance && facts.imagePools ? compareGlance(glance, facts.imagePools) : []),
    ...facts.buses.flatMap(compareBus),
    ...compareSchemas(facts.schemas),
    ...compareProjects(facts),
  ]
}
