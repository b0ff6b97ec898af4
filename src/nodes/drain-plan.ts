import type {CloudFacts, Operation, Server} from './facts.ts'
import {STOPPED_TAG} from './facts.ts'
import {unplaceable} from './room.ts'

/** What becomes of an instance when its node is drained: the value of its tag `kk:maintenance`. */
const MAINTENANCE = ['live', 'cold', 'stop', 'notify', 'never'] as const
type Maintenance = (typeof MAINTENANCE)[number]
const TAG = 'kk:maintenance='

/** How many instances of a node move at once if the user states no number. */
export const DEFAULT_MIGRATIONS = 2

/** An operation of a drain, with what it costs. */
interface PlannedOperation extends Operation {
  /** The name of the instance. */
  readonly name?: string
  /** What its users notice, or what it copies; for people. */
  readonly cost: string
}

/** An instance that stays on the node. */
interface Staying {
  readonly server: string
  readonly name: string
  readonly project: string
  readonly user: string
  readonly why: string
}

/** How the instances of a host leave it. */
export interface InstancePlan {
  readonly operations: readonly PlannedOperation[]
  readonly stays: readonly Staying[]
}

/** Plans how instances leave a host; pure. A host without nova-compute has none. */
export function planInstances(facts: CloudFacts, host: string): InstancePlan {
  const service = facts.hosts.find(({name}) => name === host)
  if (!service) return {operations: [], stays: []}
  const all = facts.servers.filter((server) => server.host === host)
  const decided = all.map((server) => [server, service.isUp ? decide(server) : DOWN] as const)
  const moving = decided.flatMap(([server, way]) => (way === 'live' || way === 'cold' ? [server] : []))
  const homeless = unplaceable(moving, facts)
  const disable: PlannedOperation = {do: 'disable', host, cost: 'nova starts no instances here'}
  const operations = decided.flatMap(([server, way]) => {
    if (homeless.has(server) || !isOperation(way)) return []
    const {id, name} = server
    return [{do: way, host, server: id, name, cost: cost(server, way)}]
  })
  const stays = decided.flatMap(([server, way]) => {
    const why = homeless.get(server) ?? (isOperation(way) || way === undefined ? undefined : way.why)
    const {id, name, project, user} = server
    return why === undefined ? [] : [{server: id, name, project, user, why}]
  })
  // What moves alone comes first: afterwards the node has most of its resources for the others.
  const order = ['live', 'cold', 'stop']
  const sorted = operations.toSorted((one, other) => order.indexOf(one.do) - order.indexOf(other.do))
  return {operations: [disable, ...sorted], stays}
}

const DOWN = {why: 'nova-compute of its node is down, and cannot move it'}

type Way = 'live' | 'cold' | 'stop'

function isOperation(way: Way | {readonly why: string} | undefined): way is Way {
  return typeof way === 'string'
}

/** Returns how an instance leaves, or why it stays; undefined for one that is stopped and may stay so. */
function decide(server: Server): Way | {readonly why: string} | undefined {
  const {status, isLocked, devices, tags} = server
  const wish = maintenance(server)
  const isStopped = status === 'SHUTOFF'
  if (wish === undefined) return {why: `its tag ${TAG}… is none of ${MAINTENANCE.join(', ')}`}
  const mayStay = wish === 'stop' || wish === 'never' || wish === 'notify' || tags.includes(STOPPED_TAG)
  if (isStopped && mayStay) return undefined
  if (wish === 'never') return {why: `its tag says so: ${TAG}never`}
  if (wish === 'notify') return {why: `its owner moves it: ${TAG}notify`}
  if (isLocked) return {why: 'it is locked'}
  if (!isStopped && !['ACTIVE', 'PAUSED'].includes(status))
    return {why: `it is ${status}, and nova moves no such instance`}
  if (wish === 'stop') return 'stop'
  if (wish === 'cold' || isStopped) return 'cold'
  if (devices.length > 0)
    return {why: `it uses a device of the node (${devices.join(', ')}): tag it ${TAG}cold or ${TAG}stop`}
  return 'live'
}

/** Returns the wish of a tag; `live` without one, and undefined for an unknown one. */
function maintenance({tags}: Server): Maintenance | undefined {
  const tag = tags.find((each) => each.startsWith(TAG))
  return tag === undefined ? 'live' : MAINTENANCE.find((each) => tag === TAG + each)
}

function cost({needs, localDiskGB, status, isPinned}: Server, way: Way): string {
  if (way === 'stop') return 'it is stopped until the node returns'
  const disk = localDiskGB > 0 ? [`a disk of ${localDiskGB} GB`] : []
  if (way === 'cold') {
    const state = status === 'SHUTOFF' ? 'it is stopped, and stays so' : 'it is stopped while it moves'
    return [state, ...disk.map((each) => `copies ${each}`)].join('; ')
  }
  const copied = [`${needs.MEMORY_MB ?? 'an unknown amount of'} MB of memory`, ...disk].join(' and ')
  return `copies ${copied} while it runs${isPinned ? '; it gets other pinned CPUs' : ''}`
}

/** Returns the operations that take a drained host back: it is enabled, and what kk has stopped starts. */
export function planReturn({servers}: CloudFacts, host: string): readonly Operation[] {
  const stopped = servers.filter((each) => each.host === host && each.tags.includes(STOPPED_TAG))
  return [{do: 'enable', host}, ...stopped.map(({id}) => ({do: 'start', host, server: id}) as const)]
}

/** Returns the instances that run on a host. */
export function running({servers}: CloudFacts, host: string): readonly Server[] {
  return servers.filter((server) => server.host === host && server.status !== 'SHUTOFF')
}
