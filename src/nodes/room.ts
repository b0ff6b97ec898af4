import type {CloudFacts, Host, Resources, Server} from './facts.ts'

/** The kinds of resources by the words for them. */
const UNITS: Readonly<Record<string, string>> = {
  VCPU: 'vCPUs',
  PCPU: 'pinned CPUs',
  MEMORY_MB: 'MB of memory',
  DISK_GB: 'GB of disk',
}

/**
 * Returns the instances for which no other host has room, with the reason. The largest are placed first, each
 * on the host with the most free memory, as Placement counts it: the scheduler may refuse more, for it knows
 * of traits and aggregates.
 */
export function unplaceable(
  leaving: readonly Server[],
  {hosts, servers, apart}: CloudFacts,
): ReadonlyMap<Server, string> {
  const from = new Set(leaving.map(({host}) => host))
  const targets = hosts.filter((host) => isUsable(host) && !from.has(host.name))
  const free = new Map(targets.map((host) => [host, subtract(host.room, host.used)]))
  const where = new Map(servers.map(({id, host}) => [id, host]))
  const failed = new Map<Server, string>()
  for (const server of leaving.toSorted((one, other) => memory(other.needs) - memory(one.needs))) {
    const inZone = targets.filter(({zone}) => server.zone === null || server.zone === zone)
    const neighbours = apart
      .filter(({members}) => members.includes(server.id))
      .flatMap(({members}) => members.filter((each) => each !== server.id).map((each) => where.get(each)))
    const allowed = inZone.filter(({name}) => !neighbours.includes(name))
    const fitting = allowed.filter((host) => fits(server.needs, free.get(host)!))
    const [best] = fitting.toSorted((one, other) => memory(free.get(other)!) - memory(free.get(one)!))
    if (best) {
      free.set(best, subtract(free.get(best)!, server.needs))
      where.set(server.id, best.name)
      continue
    }
    failed.set(server, reason(server, {inZone, allowed}))
  }
  return failed
}

/** Whether the scheduler may choose a host. */
function isUsable({isUp, isEnabled, isForcedDown}: Host): boolean {
  return isUp && isEnabled && !isForcedDown
}

function reason(
  {needs, zone}: Server,
  {inZone, allowed}: {readonly inZone: readonly Host[]; readonly allowed: readonly Host[]},
): string {
  if (inZone.length === 0)
    return zone === null ? 'there is no other host' : `no other host is in the zone ${zone}`
  if (allowed.length === 0) return 'each other host has a member of its anti-affinity group'
  const amounts = Object.entries(needs).map(([kind, amount]) => `${amount} ${UNITS[kind] ?? kind}`)
  return `no other host has ${amounts.join(', ')} left`
}

function memory({MEMORY_MB = 0}: Resources): number {
  return MEMORY_MB
}

function fits(needs: Resources, free: Resources): boolean {
  return Object.entries(needs).every(([kind, amount]) => amount <= (free[kind] ?? 0))
}

function subtract(from: Resources, amounts: Resources): Resources {
  const kinds = Object.keys({...from, ...amounts})
  return Object.fromEntries(kinds.map((kind) => [kind, (from[kind] ?? 0) - (amounts[kind] ?? 0)]))
}
