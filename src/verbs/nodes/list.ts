import type {Lease} from 'kubernetes-types/coordination/v1.js'
import type {Environment} from '../../environment/environment.ts'
import {isApiError} from '../../kubernetes/api/api-error.ts'
import {LEASES, NODES} from '../../kubernetes/api/resources.ts'
import type {Served} from '../../kubernetes/api/served.ts'
import type {Node} from '../../kubernetes/gate/kinds/observed.ts'
import {type AwayNode, awayNode} from '../../kubernetes/gate/nodes.ts'
import {NODE_LEASES, nodeClocks} from '../../kubernetes/node-clocks.ts'
import {notEvacuable} from '../../nodes/evacuation-plan.ts'
import type {CloudFacts, Host} from '../../nodes/facts.ts'
import {type Following, findTemplate, type InstancePorts, readFacts} from './instances.ts'
import {DRAINED_ANNOTATION} from './kubernetes-node.ts'

/** A node of Kubernetes, and the host of nova on it. */
export interface ListedNode {
  readonly node: string
  readonly state: 'ready' | 'not ready' | 'cordoned' | 'drained' | 'being deleted'
  /** Since when it is not ready, as Kubernetes writes it. */
  readonly since?: string
  /** By how many seconds its clock is ahead of the API server's; absent if that is not known. */
  readonly clockAhead?: number
  /** Absent if the node is no host of nova. */
  readonly host?: Pick<Host, 'zone' | 'isUp' | 'isEnabled' | 'isForcedDown' | 'reason' | 'room' | 'used'>
  readonly instances?: number
  /** The instances that would start on no other host if the node were lost, and why. */
  readonly unplaceable?: readonly {readonly server: string; readonly name: string; readonly why: string}[]
}

export interface NodeList {
  readonly environment: string
  readonly nodes: readonly ListedNode[]
  /** Whether any single host may be lost: its instances start on the others. Absent without hosts. */
  readonly mayLoseOne?: boolean
}

/** Lists the nodes of a cluster, with what nova runs on them, and whether the others had room for it. */
export async function listNodes(
  cluster: InstancePorts,
  environment: Environment,
  following: Following,
): Promise<NodeList> {
  const [nodes, template, clocks] = await Promise.all([
    cluster.objects.list<Node>(NODES, ''),
    findTemplate(cluster, environment),
    clocksOf(cluster),
  ])
  const facts = template && (await readFacts(cluster, template, following))
  const rows = (nodes ?? [])
    .map((node) => ({...listed(node, facts), ...clocks.get(node.metadata.name)}))
    .toSorted((one, other) => one.node.localeCompare(other.node))
  const hosts = rows.filter(({host}) => host)
  return {
    environment: environment.name,
    nodes: rows,
    ...(hosts.length > 0 && {mayLoseOne: hosts.every((row) => row.unplaceable?.length === 0)}),
  }
}

/** Returns the clocks by node; none if the user may not read Leases. */
async function clocksOf({
  objects,
}: InstancePorts): Promise<ReadonlyMap<string, Pick<ListedNode, 'clockAhead'>>> {
  const leases = await objects.list<Served<Lease>>(LEASES, NODE_LEASES).catch((error: unknown) => {
    if (isApiError(error, 403)) return []
    throw error
  })
  return new Map(nodeClocks(leases ?? []).map(({node, ahead}) => [node, {clockAhead: ahead}]))
}

function listed(node: Node, facts: CloudFacts | undefined): ListedNode {
  const {name} = node.metadata
  const away = awayNode(node)
  const isDrained = node.metadata.annotations?.[DRAINED_ANNOTATION] !== undefined
  const states: Readonly<Record<AwayNode['reason'], ListedNode['state']>> = {
    NotReady: 'not ready',
    Cordoned: isDrained ? 'drained' : 'cordoned',
    BeingDeleted: 'being deleted',
  }
  const state: ListedNode['state'] = away ? states[away.reason] : 'ready'
  const base: ListedNode = {node: name, state, ...(away?.since !== undefined && {since: away.since})}
  const found = facts?.hosts.find((host) => host.name === name)
  if (!facts || !found) return base
  const {name: _, ...host} = found
  const instances = facts.servers.filter((server) => server.host === name).length
  const left = [...notEvacuable(facts, name)].map(([{id, name: server}, why]) => ({
    server: id,
    name: server,
    why,
  }))
  return {...base, host, instances, unplaceable: left}
}
