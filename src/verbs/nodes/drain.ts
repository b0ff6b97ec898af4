import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import {type InstancePlan, planInstances, running} from '../../nodes/drain-plan.ts'
import type {CloudFacts, OperationEvent} from '../../nodes/facts.ts'
import {findSwitch, moveGateways} from './gateways.ts'
import {execute, type Following, findTemplate, settledFacts, type Template} from './instances.ts'
import {cordon, evict, podsToEvict, podText, readNode, type Unevicted, unblocked} from './kubernetes-node.ts'

export type DrainPorts = Pick<Cluster, 'objects' | 'live' | 'health' | 'evictions' | 'exec'>

export interface DrainOptions extends Following {
  readonly environment: Environment
  readonly node: string
  /** The directory of kk's own files. */
  readonly files: string
  readonly onProgress: (line: string) => void
}

/** What empties a node, in this order: instances, gateways of routers, cordon, pods. */
export interface DrainPlan extends InstancePlan {
  readonly node: string
  /** Whether the gateways of routers move. */
  readonly movesGateways: boolean
  readonly isCordoned: boolean
  /** The pods to evict, as `namespace/name`. */
  readonly evicts: readonly string[]
  /** The pods that nothing would re-create elsewhere. */
  readonly unmanaged: readonly string[]
}

/** The names of the instances, by ID. */
export type Names = ReadonlyMap<string, string>

/** Plans how a node is emptied. A drain of the node that is in progress ends first. Throws `KK_NO_NODE`. */
export async function planDrain(
  cluster: DrainPorts,
  options: DrainOptions,
): Promise<{readonly plan: DrainPlan; readonly names: Names}> {
  const {environment, node, files} = options
  const [seen, template] = await Promise.all([readNode(cluster, node), findTemplate(cluster, environment)])
  const facts = template && (await settledFacts(cluster, template, options))
  const [found, pods] = await Promise.all([
    findSwitch({exec: cluster.exec, files}, environment, node),
    podsToEvict(cluster, node),
  ])
  const plan: DrainPlan = {
    node,
    ...(facts ? planInstances(facts, node) : {operations: [], stays: []}),
    movesGateways: found !== undefined,
    isCordoned: seen.spec?.unschedulable === true,
    evicts: pods.evicted.map(podText),
    unmanaged: pods.unmanaged.map(podText),
  }
  return {plan, names: new Map(facts?.servers.map(({id, name}) => [id, name]))}
}

/** The result of a drain. */
export interface Drained {
  readonly node: string
  /** Whether the node can be switched off. */
  readonly isEmpty: boolean
  /** What was done with hosts and instances. */
  readonly operations: readonly OperationEvent[]
  readonly stays: DrainPlan['stays']
  /** The ports of routers whose gateway is still here. */
  readonly gateways: readonly string[]
  /** The pods that are still here. */
  readonly pods: readonly Unevicted[]
}

/** How often instances are looked for that came, or could not move yet. */
const ROUNDS = 3

/**
 * Empties a node. While an instance runs on it, its gateways and pods stay: the instance needs them.
 * Idempotent: after an interruption, the next call goes on.
 */
export async function drain(
  cluster: DrainPorts,
  options: DrainOptions & {readonly concurrency: number},
): Promise<Drained> {
  const {environment, node, files, deadline, signal, onProgress} = options
  const template = await findTemplate(cluster, environment)
  const {operations, stays} = template
    ? await moveInstances(cluster, template, options)
    : {operations: [], stays: []}
  const result = {node, isEmpty: false, operations, stays, gateways: [], pods: []}
  if (stays.length > 0) return result
  const blocking = await unblocked(cluster, node, {deadline, signal, onProgress})
  if (blocking.length > 0) return {...result, pods: blocking}

  const found = await findSwitch({exec: cluster.exec, files}, environment, node)
  if (found) onProgress('moving the gateways of routers')
  const gateways = found ? await moveGateways(found) : []
  await cordon(cluster, await readNode(cluster, node))
  onProgress(`${node} is cordoned`)
  const {evicted, unmanaged} = await podsToEvict(cluster, node)
  if (evicted.length > 0) onProgress(`evicting ${evicted.length} pods`)
  const left = await evict(cluster, node, {pods: evicted, deadline, signal, onProgress})
  const pods = [
    ...left,
    ...unmanaged.map((pod) => ({pod: podText(pod), why: 'it has no controller: nothing re-creates it'})),
  ]
  return {...result, gateways, pods, isEmpty: pods.length === 0 && gateways.length === 0}
}

/** Moves or stops the instances of a host until none is left that can. */
async function moveInstances(
  cluster: DrainPorts,
  template: Template,
  options: DrainOptions & {readonly concurrency: number},
): Promise<Pick<Drained, 'operations' | 'stays'>> {
  const {node} = options
  const done: OperationEvent[] = []
  const failures = new Map<string, string>()
  for (let round = 1; ; round++) {
    const facts = await factsWithoutArrivals(cluster, template, options)
    const {operations, stays} = planInstances(facts, node)
    const isDone = operations.every(({server}) => server === undefined) && round > 1
    if (isDone || operations.length === 0 || round > ROUNDS) {
      if (facts.hosts.some(({name, isEnabled}) => name === node && isEnabled)) throw notDisabled(node, done)
      const known = new Set(stays.map(({server}) => server))
      const failed = running(facts, node)
        .filter(({id}) => !known.has(id))
        .map(({id, name, project, user}) => {
          return {server: id, name, project, user, why: failures.get(id) ?? 'it came in the meantime'}
        })
      return {operations: done, stays: [...stays, ...failed]}
    }
    const ended = await execute(cluster, template, {...options, operations})
    done.push(...ended)
    for (const {event, server, result = ''} of ended)
      if (event === 'failed' && server) failures.set(server, result)
  }
}

/**
 * Reads the facts when no instance is on its way to the node: it would arrive on a node that is switched off.
 */
async function factsWithoutArrivals(
  cluster: DrainPorts,
  template: Template,
  options: DrainOptions,
): Promise<CloudFacts> {
  const {node, deadline, signal, onProgress} = options
  let facts = await settledFacts(cluster, template, options)
  await pollCluster(
    async () => {
      const coming = (facts.moving ?? []).filter(({server, target}) => {
        const on = facts.servers.find(({id}) => id === server)?.host
        return target === node && on !== undefined && on !== node
      })
      if (coming.length === 0) return true
      onProgress(`waiting for ${coming.map(({server}) => server).join(', ')}, which nova moves here`)
      facts = await settledFacts(cluster, template, options)
      return false
    },
    {interval: 5_000, deadline, signal},
  )
  return facts
}

/** The error of a host on which nova still starts instances: it would not stay empty. */
function notDisabled(node: string, done: readonly OperationEvent[]): KkError {
  const {result} = done.findLast((each) => each.do === 'disable') ?? {}
  return new KkError('KK_EXEC', `nova still starts instances on ${node}: ${result ?? 'it was enabled again'}`)
}
