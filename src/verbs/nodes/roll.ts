import {createHash} from 'node:crypto'
import {setTimeout as wait} from 'node:timers/promises'
import {asKkError, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import {NODES} from '../../kubernetes/api/resources.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Node} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import type {OperationEvent} from '../../nodes/facts.ts'
import {type Budget, exceededBudget, hasLabel, type RollNode} from '../../nodes/roll-plan.ts'
import {type Drained, type DrainOptions, type DrainPorts, drain} from './drain.ts'
import {DRAINED_ANNOTATION, readNode} from './kubernetes-node.ts'
import {returnNode} from './return.ts'

/** What a node reports when the command has done its work. */
export type Goal =
  | {readonly kind: 'rebooted'}
  | {readonly kind: 'kubelet' | 'kernel'; readonly version: string}

export interface RollOptions {
  readonly environment: Environment
  /** The directory of kk's own files. */
  readonly files: string
  /** The names of nodes, or the label of those to roll; all nodes if both are empty. */
  readonly names: readonly string[]
  readonly selector?: string | undefined
  readonly budgets: readonly Budget[]
  /** The text of the command, by which the next call knows which nodes it has done. */
  readonly command: string
  readonly goal?: Goal | undefined
  readonly onProgress: (line: string) => void
}

export interface RollPlan {
  readonly environment: string
  readonly command: string
  /** The nodes in the order in which they leave. */
  readonly nodes: readonly {
    readonly node: string
    /** Why nothing is done with it; absent if it is rolled. */
    readonly skipped?: string
  }[]
  /** The releases that are not healthy now. */
  readonly unhealthy: readonly string[]
  /** Whether a roll was interrupted while a node was away: that alone may be the cause. */
  readonly isResumed: boolean
}

/** The annotation of a node that a roll has done: the digest of its command, and when. */
const ROLLED_ANNOTATION = 'kk.openstack.org/rolled'
/** How long a roll that did not end counts as the same when its command is called again, in milliseconds. */
const SAME_ROLL_MS = 24 * 3_600_000

/** Plans which nodes are rolled. Throws `KK_NO_NODE`, `KK_USAGE`. */
export async function planRoll(
  cluster: Pick<Cluster, 'objects'>,
  options: RollOptions,
  unhealthy: readonly string[],
): Promise<RollPlan> {
  const {environment, names, selector, command} = options
  for (const name of names) await readNode(cluster, name)
  const all = (await cluster.objects.list<Node>(NODES, '')) ?? []
  const chosen = all
    .filter((node) => names.length === 0 || names.includes(node.metadata.name))
    .filter((node) => hasLabel(rollNode(node), selector))
    .toSorted((one, other) => one.metadata.name.localeCompare(other.metadata.name))
  if (chosen.length === 0)
    throw new KkError('KK_USAGE', `no node has the label ${selector}`, {
      hint: 'kubectl get nodes --show-labels',
    })
  const nodes = chosen.map((node) => {
    const skipped = skipReason(node, options)
    return {node: node.metadata.name, ...(skipped !== undefined && {skipped})}
  })
  const isResumed = chosen.some(({metadata}) => metadata.annotations?.[DRAINED_ANNOTATION] !== undefined)
  return {environment: environment.name, command, nodes, unhealthy, isResumed}
}

/** Throws `KK_UNHEALTHY` if a release is not healthy, and no node that is away explains it. */
export function refuseUnhealthy({unhealthy, isResumed}: RollPlan): void {
  if (unhealthy.length === 0 || isResumed) return
  throw new KkError('KK_UNHEALTHY', `no node leaves a cloud that is not healthy: ${unhealthy.join('; ')}`, {
    hint: 'see kk status; --ignore-unhealthy rolls all the same',
  })
}

function rollNode(node: Node): RollNode {
  const {name, labels = {}} = node.metadata
  return {node: name, labels, isAway: awayNode(node) !== undefined}
}

/** Why a node is not rolled: it is down, it is at its goal, or an unfinished roll has done it. */
function skipReason(node: Node, {command, goal}: RollOptions): string | undefined {
  const away = awayNode(node)
  if (away && away.reason !== 'Cordoned') return `it is ${away.reason}`
  if (goal && goal.kind !== 'rebooted' && hasReached(node, goal, undefined))
    return `its ${goal.kind} is ${goal.version} already`
  const [digest, time = ''] = (node.metadata.annotations?.[ROLLED_ANNOTATION] ?? '').split(' ')
  const isSame = digest === digestOf(command) && Date.now() - Date.parse(time) < SAME_ROLL_MS
  return isSame ? `done at ${time}` : undefined
}

function digestOf(command: string): string {
  return createHash('sha256').update(command).digest('hex').slice(0, 12)
}

function hasReached(node: Node, goal: Goal, bootBefore: string | undefined): boolean {
  const {bootID, kubeletVersion, kernelVersion} = node.status?.nodeInfo ?? {}
  if (goal.kind === 'rebooted') return bootID !== undefined && bootID !== bootBefore
  return (goal.kind === 'kubelet' ? kubeletVersion : kernelVersion) === goal.version
}

/** What became of a node. */
interface RolledNode {
  readonly node: string
  /** `left`: it could not be emptied, and is back without the command. */
  readonly result: 'rolled' | 'skipped' | 'left' | 'failed' | 'not begun'
  readonly why?: string
  readonly seconds?: number
}

export interface Rolled {
  readonly environment: string
  readonly nodes: readonly RolledNode[]
  /** Whether every node is rolled or was skipped. */
  readonly isComplete: boolean
}

interface Rolling extends RollOptions {
  readonly plan: RollPlan
  /** Whether releases that are not healthy before do not stop the roll. */
  readonly ignoresUnhealthy: boolean
  /** How many instances of a node move at once. */
  readonly concurrency: number
  /** How long a node that is back is watched before the next one leaves, in milliseconds. */
  readonly soak: number
  /** Returns the deadline of a node that leaves now. */
  readonly newDeadline: () => number
  /** Runs the command for a node. Rejects if it fails. */
  readonly run: (node: string) => Promise<void>
  /** Returns the names of releases that are not healthy. */
  readonly unhealthyReleases: () => Promise<readonly string[]>
  readonly onEvent: (event: OperationEvent) => void
}

/**
 * Drains each node, runs the command, and takes the node back, as many at once as the budgets allow. Stops
 * when a node does not come back, or a release is less healthy than before: no other node leaves then.
 * Idempotent: nodes that are done are skipped by the next call with the same command.
 */
export async function roll(cluster: DrainPorts, options: Rolling): Promise<Rolled> {
  const {plan, budgets, onProgress} = options
  const results = new Map<string, RolledNode>(
    plan.nodes.flatMap(({node, skipped}) =>
      skipped === undefined ? [] : [[node, {node, result: 'skipped', why: skipped}]],
    ),
  )
  const running = new Map<string, Promise<void>>()
  const waiting = new Set(plan.nodes.flatMap(({node}) => (results.has(node) ? [] : [node])))
  const hasFailed = () => [...results.values()].some(({result}) => result === 'failed')
  let blocked = ''
  while (waiting.size > 0 || running.size > 0) {
    const nodes = (await cluster.objects.list<Node>(NODES, '')) ?? []
    const seen = nodes.map(rollNode).map((each) => ({...each, isAway: each.isAway || running.has(each.node)}))
    for (const name of hasFailed() ? [] : waiting) {
      const node = seen.find((each) => each.node === name)
      blocked = node ? (exceededBudget(node, seen, budgets) ?? '') : `${name} is gone`
      if (!node || blocked !== '') continue
      node.isAway = true
      waiting.delete(name)
      running.set(
        name,
        rollResult(cluster, name, options).then((result) => {
          results.set(name, result)
          running.delete(name)
          onProgress(`${name}: ${result.result}${result.why === undefined ? '' : `, ${result.why}`}`)
        }),
      )
    }
    if (running.size === 0) break
    await Promise.race(running.values())
  }
  const nodes = plan.nodes.map(({node}): RolledNode => {
    const why = hasFailed() ? 'another node has failed' : blocked
    return results.get(node) ?? {node, result: 'not begun', why}
  })
  const isComplete = nodes.every(({result}) => result === 'rolled' || result === 'skipped')
  if (isComplete) await forget(cluster, plan)
  return {environment: plan.environment, nodes, isComplete}
}

/** Rolls one node; a failure is a result, because other nodes may be under way. */
async function rollResult(cluster: DrainPorts, node: string, options: Rolling): Promise<RolledNode> {
  const began = Date.now()
  try {
    const why = await rollOne(cluster, node, options)
    const seconds = Math.round((Date.now() - began) / 1000)
    return why === undefined ? {node, result: 'rolled', seconds} : {node, result: 'left', why, seconds}
  } catch (error) {
    return {node, result: 'failed', why: asKkError(error).message}
  }
}

/** Returns why the node could not be emptied; it is back then. Throws if it fails. */
async function rollOne(cluster: DrainPorts, node: string, options: Rolling): Promise<string | undefined> {
  const {environment, files, concurrency, newDeadline, run, onEvent} = options
  const onProgress = (line: string) => options.onProgress(`${node}: ${line}`)
  const of: DrainOptions = {environment, files, node, deadline: newDeadline(), onProgress, onEvent}
  const bootBefore = (await readNode(cluster, node)).status?.nodeInfo?.bootID
  const drained = await drain(cluster, {...of, concurrency})
  if (drained.isEmpty) {
    onProgress('is empty; running the command')
    await run(node)
    await reached(cluster, of, options, bootBefore)
  }
  const {operations} = await returnNode(cluster, of)
  const failed = operations.find(({event}) => event === 'failed')
  if (failed) throw new KkError('KK_EXEC', `nova did not take it back: ${failed.result ?? failed.do}`)
  if (!drained.isEmpty) return whatStays(drained)
  await mark(cluster, node, `${digestOf(options.command)} ${new Date().toISOString().slice(0, 19)}Z`)
  await settled(of, options)
  return undefined
}

/** Names what stays on a node that could not be emptied. */
function whatStays({stays, pods, gateways}: Drained): string {
  return [
    ...stays.map(({name, server, why}) => `instance ${name} (${server}): ${why}`),
    ...pods.map(({pod, why}) => `pod ${pod}: ${why}`),
    ...(gateways.length > 0 ? [`gateways of ${gateways.join(', ')}`] : []),
  ].join('; ')
}

/** Resolves when the node reports that the command has done its work. Throws at the deadline. */
async function reached(
  cluster: DrainPorts,
  {node, deadline, onProgress}: DrainOptions,
  {goal}: Rolling,
  bootBefore: string | undefined,
): Promise<void> {
  if (!goal) return
  const text = goal.kind === 'rebooted' ? 'the node has rebooted' : `its ${goal.kind} is ${goal.version}`
  onProgress(`waiting until ${text}`)
  const isReached = await pollCluster(
    async () => hasReached(await readNode(cluster, node), goal, bootBefore),
    {interval: 2_000, deadline},
  )
  if (!isReached) throw new KkError('KK_UNHEALTHY', `the command has ended, but not ${text}`)
}

/**
 * Resolves when all releases are healthy, and still are after the soak. Throws at the deadline, and if one is
 * not healthy after the soak.
 */
async function settled(
  {deadline, onProgress}: DrainOptions,
  {soak, plan, ignoresUnhealthy, unhealthyReleases}: Rolling,
): Promise<void> {
  const ignored = new Set(ignoresUnhealthy ? plan.unhealthy : [])
  let worse: readonly string[] = []
  const isHealthy = async () => {
    worse = (await unhealthyReleases()).filter((release) => !ignored.has(release))
    return worse.length === 0
  }
  await pollCluster(isHealthy, {interval: 5_000, deadline})
  if (worse.length === 0 && soak > 0) {
    onProgress(`is back; watching for ${Math.round(soak / 1000)} s`)
    await wait(soak)
    await isHealthy()
  }
  if (worse.length > 0)
    throw new KkError('KK_UNHEALTHY', `it is back, but these are not healthy: ${worse.join('; ')}`)
}

async function mark({objects}: DrainPorts, name: string, value: string | null): Promise<void> {
  await objects.merge(NODES, {namespace: '', name}, {metadata: {annotations: {[ROLLED_ANNOTATION]: value}}})
}

/** Removes the marks of a roll that is complete: the next one with this command is another. */
async function forget(cluster: DrainPorts, {nodes}: RollPlan): Promise<void> {
  for (const {node} of nodes) {
    const {annotations = {}} = (await readNode(cluster, node)).metadata
    if (ROLLED_ANNOTATION in annotations) await mark(cluster, node, null)
  }
}
