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
import {type Drained, type DrainOptions, type DrainPorts, drain, planDrain} from './drain.ts'
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

/** What a roll will do, or has done, with a node. */
interface RolledNode {
  readonly node: string
  /** `left`: it is down, or could not be emptied, and the command did not run. `done`: by an earlier call. */
  readonly result: 'next' | 'rolled' | 'done' | 'left' | 'failed'
  readonly why?: string
  /** What to do about a failure. */
  readonly hint?: string
  readonly seconds?: number
}

export interface RollPlan {
  readonly environment: string
  /** The nodes in the order in which they leave. */
  readonly nodes: readonly RolledNode[]
  /** The releases that are not healthy now. */
  readonly unhealthy: readonly string[]
  /** Whether an earlier call was interrupted while a node was away: that alone may be the cause. */
  readonly isResumed: boolean
}

/** The annotation of a node that has left: the digest of the roll, and the boot ID that it had. */
const ROLLING = 'kk.openstack.org/rolling'
/** The annotation of a node that is done: the digest of the roll, and when. */
const ROLLED = 'kk.openstack.org/rolled'
/** How long after its last node a roll that did not end counts as the same if it is called again. */
const SAME_ROLL_MS = 24 * 3_600_000
/** How long a request is repeated that the API server does not answer: it may be on a node that is away. */
const PATIENCE_MS = 300_000

/** Plans which nodes are rolled. Throws `KK_NO_NODE`, `KK_USAGE`. */
export async function planRoll(
  cluster: Pick<Cluster, 'objects'>,
  options: RollOptions,
  unhealthy: readonly string[],
): Promise<RollPlan> {
  const {environment, names, selector, budgets} = options
  for (const name of names) await readNode(cluster, name)
  const all = await nodesOf(cluster)
  const seen = all.map(rollNode)
  for (const {label} of budgets)
    if (!seen.some((node) => hasLabel(node, label))) throw noSuchLabel('--max-unavailable', label!)
  const chosen = all
    .filter((node) => names.length === 0 || names.includes(node.metadata.name))
    .filter((node) => hasLabel(rollNode(node), selector))
    .toSorted((one, other) => one.metadata.name.localeCompare(other.metadata.name))
  if (chosen.length === 0) throw noSuchLabel('--selector', selector!)
  const isRecent = isRecentRoll(all, options)
  const nodes = chosen.map((node): RolledNode => {
    const decided = decide(node, options, isRecent)
    if (decided) return decided
    const why = exceededBudget(rollNode(node), seen, budgets)
    return {node: node.metadata.name, result: 'next', ...(why !== undefined && {why})}
  })
  const isResumed = chosen.some((node) => mark(node, ROLLING)[0] === digestOf(options))
  return {environment: environment.name, nodes, unhealthy, isResumed}
}

function noSuchLabel(flag: string, label: string): KkError {
  return new KkError('KK_USAGE', `${flag}: no node has the label ${label}`, {
    hint: 'kubectl get nodes --show-labels',
  })
}

/** Throws `KK_UNHEALTHY` if a release is not healthy, and no node of an interrupted call explains it. */
export function refuseUnhealthy({unhealthy, isResumed}: RollPlan): void {
  if (unhealthy.length === 0 || isResumed) return
  throw new KkError('KK_UNHEALTHY', `no node leaves a cloud that is not healthy: ${unhealthy.join('; ')}`, {
    hint: 'see kk status; --ignore-unhealthy rolls all the same',
  })
}

async function nodesOf({objects}: Pick<Cluster, 'objects'>): Promise<readonly Node[]> {
  return patiently(async () => (await objects.list<Node>(NODES, '')) ?? [])
}

/** Repeats a request that the API server does not answer. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  const polling = {interval: 2_000, deadline: Date.now() + PATIENCE_MS}
  const found = await pollCluster(async () => [await read()] as const, polling)
  return found![0]
}

function rollNode(node: Node): RollNode {
  const {name, labels = {}} = node.metadata
  // A node that another call drains leaves before it is cordoned.
  return {node: name, labels, isAway: awayNode(node) !== undefined || mark(node, ROLLING)[0] !== ''}
}

/** Returns the parts of a mark; the first is empty if there is none. */
function mark({metadata}: Node, annotation: string): readonly [digest: string, rest: string] {
  const [digest = '', rest = ''] = (metadata.annotations?.[annotation] ?? '').split(' ')
  return [digest, rest]
}

function digestOf({command, goal}: Pick<RollOptions, 'command' | 'goal'>): string {
  return createHash('sha256')
    .update(JSON.stringify([command, goal]))
    .digest('hex')
    .slice(0, 12)
}

/** Whether the last node of this roll was done within a day. */
function isRecentRoll(nodes: readonly Node[], options: RollOptions): boolean {
  const marks = nodes.map((node) => mark(node, ROLLED)).filter(([digest]) => digest === digestOf(options))
  return marks.some(([, time]) => Date.now() - Date.parse(time) < SAME_ROLL_MS)
}

/** Returns what is decided of a node already: it is down, is drained, or is done. */
function decide(node: Node, options: RollOptions, isRecent: boolean): RolledNode | undefined {
  const {name} = node.metadata
  const [rolling] = mark(node, ROLLING)
  if (rolling === digestOf(options)) return undefined
  const left = (why: string): RolledNode => ({node: name, result: 'left', why})
  if (rolling !== '') return left('another kk node roll has it')
  const away = awayNode(node)
  if (away && away.reason !== 'Cordoned') return left(`it is ${away.reason}`)
  if (node.metadata.annotations?.[DRAINED_ANNOTATION]) return left('it was drained by kk node drain')
  const {goal} = options
  if (goal && goal.kind !== 'rebooted') {
    if (!hasReached(node, goal, '')) return undefined
    return {node: name, result: 'done', why: `its ${goal.kind} is ${goal.version}`}
  }
  const [digest, time] = mark(node, ROLLED)
  if (digest !== digestOf(options) || !isRecent) return undefined
  return {node: name, result: 'done', why: `at ${time}`}
}

function hasReached(node: Node, goal: Goal, bootBefore: string): boolean {
  const {bootID = '', kubeletVersion, kernelVersion} = node.status?.nodeInfo ?? {}
  if (goal.kind === 'rebooted') return bootID !== '' && bootID !== bootBefore
  return (goal.kind === 'kubelet' ? kubeletVersion : kernelVersion) === goal.version
}

export interface Rolled {
  readonly environment: string
  readonly nodes: readonly RolledNode[]
  /** Whether every node is rolled, now or by an earlier call. */
  readonly isComplete: boolean
}

interface Rolling extends RollOptions {
  readonly plan: RollPlan
  /** Whether releases that are not healthy before do not stop the roll. */
  readonly ignoresUnhealthy: boolean
  /** How many instances of a node move at once. */
  readonly concurrency: number
  /** How long nodes that are back are watched before the next ones leave, in milliseconds. */
  readonly soak: number
  /** Returns the deadline of what begins now. */
  readonly newDeadline: () => number
  /** Runs the command for a node, within so many milliseconds. Rejects if it fails. */
  readonly run: (node: string, timeout: number) => Promise<void>
  /** Returns the names of releases that are not healthy. */
  readonly unhealthyReleases: () => Promise<readonly string[]>
  readonly onEvent: (event: OperationEvent) => void
}

/**
 * Drains as many nodes at once as the budgets allow, runs the command for each, takes them back, and waits
 * until all releases are healthy; then the next ones. Stops when a node does not come back, or a release does
 * not become healthy: no other node leaves then. Idempotent: the next call with the same command continues.
 */
export async function roll(cluster: DrainPorts, options: Rolling): Promise<Rolled> {
  const {plan, onProgress} = options
  const results = new Map(plan.nodes.map((each) => [each.node, each]))
  const next = () => [...results.values()].filter(({result}) => result === 'next').map(({node}) => node)
  while (next().length > 0) {
    const batch = await startable(cluster, next(), options)
    for (const {node, why} of batch.blocked) results.set(node, {node, result: 'next', why})
    if (batch.nodes.length === 0) break
    const ended = await Promise.all(batch.nodes.map((node) => resultOf(cluster, node, options)))
    const why = ended.some(({result}) => result === 'failed') ? undefined : await worse(options)
    for (const each of ended) {
      const after: RolledNode = why === undefined ? each : {...each, result: 'failed', why}
      results.set(each.node, after)
      onProgress(
        [`${after.node}: ${after.result}`, ...(after.why === undefined ? [] : [after.why])].join(', '),
      )
    }
    if ([...results.values()].some(({result}) => result === 'failed')) break
  }
  const hasFailed = [...results.values()].some(({result}) => result === 'failed')
  const nodes = [...results.values()].map((each): RolledNode => {
    return each.result === 'next' && hasFailed ? {...each, why: 'another node has failed'} : each
  })
  const isComplete = nodes.every(({result}) => result === 'rolled' || result === 'done')
  if (isComplete) await forget(cluster, digestOf(options))
  return {environment: plan.environment, nodes, isComplete}
}

interface Batch {
  readonly nodes: readonly string[]
  readonly blocked: readonly {readonly node: string; readonly why: string}[]
}

/** Returns the nodes that may leave together now; waits until there is one. */
async function startable(
  cluster: Pick<Cluster, 'objects'>,
  waiting: readonly string[],
  {budgets, newDeadline, onProgress, ...options}: Rolling,
): Promise<Batch> {
  let batch: Batch = {nodes: [], blocked: []}
  await pollCluster(
    async () => {
      const all = await nodesOf(cluster)
      const seen = all.map(rollNode)
      // These have left already: an earlier call was interrupted.
      const underWay = all.filter((node) => mark(node, ROLLING)[0] === digestOf(options))
      const nodes: string[] = underWay
        .map(({metadata}) => metadata.name)
        .filter((name) => waiting.includes(name))
      const blocked: {node: string; why: string}[] = []
      for (const name of waiting.filter((each) => !nodes.includes(each))) {
        const node = seen.find((each) => each.node === name)
        const why = node ? exceededBudget(node, seen, budgets) : 'it is gone'
        if (!node || why !== undefined) blocked.push({node: name, why: why!})
        else {
          seen[seen.indexOf(node)] = {...node, isAway: true}
          nodes.push(name)
        }
      }
      batch = {nodes, blocked}
      if (nodes.length === 0) onProgress(`${blocked[0]!.node} waits: ${blocked[0]!.why}`)
      return nodes.length > 0
    },
    {interval: 5_000, deadline: newDeadline()},
  )
  return batch
}

/** Rolls one node; a failure is a result, because other nodes may be under way. */
async function resultOf(cluster: DrainPorts, node: string, options: Rolling): Promise<RolledNode> {
  const began = Date.now()
  try {
    const why = await rollOne(cluster, node, options)
    const seconds = Math.round((Date.now() - began) / 1000)
    return why === undefined ? {node, result: 'rolled', seconds} : {node, result: 'left', why, seconds}
  } catch (error) {
    const {message, hint} = asKkError(error)
    return {node, result: 'failed', why: message, ...(hint !== undefined && {hint})}
  }
}

/**
 * Returns why the node could not be emptied: it serves then, and is unchanged if that was known before.
 * Throws if it fails.
 */
async function rollOne(cluster: DrainPorts, node: string, options: Rolling): Promise<string | undefined> {
  const {environment, files, goal, newDeadline, onEvent} = options
  const onProgress = (line: string) => options.onProgress(`${node}: ${line}`)
  const of: DrainOptions = {environment, files, node, deadline: newDeadline(), onProgress, onEvent}
  const before = await patiently(() => readNode(cluster, node))
  const [digest, bootOfMark] = mark(before, ROLLING)
  const isUnderWay = digest === digestOf(options)
  const bootBefore = isUnderWay ? bootOfMark : (before.status?.nodeInfo?.bootID ?? '')
  if (!isUnderWay) {
    const {plan} = await planDrain(cluster, of)
    const pods = plan.unmanaged.map((pod) => ({pod, why: UNMANAGED}))
    const known = whatStays({stays: plan.stays, pods, gateways: []})
    if (known !== undefined) return known
    await annotate(cluster, node, {[ROLLING]: `${digestOf(options)} ${bootBefore}`})
  }
  // An earlier call was killed after the command.
  const isDone = isUnderWay && goal !== undefined && hasReached(before, goal, bootBefore)
  const why = isDone ? undefined : whatStays(await drain(cluster, {...of, concurrency: options.concurrency}))
  if (why === undefined && !isDone) {
    onProgress('is empty; running the command')
    await options.run(node, Math.max(0, of.deadline - Date.now()))
    await reached(cluster, of, options, bootBefore)
  }
  const {operations} = await returnNode(cluster, {
    ...{...of, deadline: newDeadline()},
    ignored: options.ignoresUnhealthy ? options.plan.unhealthy : [],
  })
  const failed = operations.find(({event}) => event === 'failed')
  if (failed) throw new KkError('KK_EXEC', `nova did not take it back: ${failed.result ?? failed.do}`)
  const done = `${digestOf(options)} ${new Date().toISOString().slice(0, 19)}Z`
  await annotate(cluster, node, {[ROLLING]: null, ...(why === undefined && {[ROLLED]: done})})
  return why
}

const UNMANAGED = 'it has no controller: nothing re-creates it'

/** Names what stays on a node that cannot be emptied; undefined for nothing. */
function whatStays({
  stays,
  pods,
  gateways,
}: Pick<Drained, 'stays' | 'pods' | 'gateways'>): string | undefined {
  const all = [
    ...stays.map(({name, server, why}) => `instance ${name} (${server}): ${why}`),
    ...pods.map(({pod, why}) => `pod ${pod}: ${why}`),
    ...gateways.map((port) => `the gateway ${port}`),
  ]
  return all.length === 0 ? undefined : all.join('; ')
}

/** Resolves when the node reports that the command has done its work. Throws at the deadline. */
async function reached(
  cluster: DrainPorts,
  {node, deadline, onProgress}: DrainOptions,
  {goal}: Rolling,
  bootBefore: string,
): Promise<void> {
  if (!goal) return
  const text = goal.kind === 'rebooted' ? 'the node has rebooted' : `its ${goal.kind} is ${goal.version}`
  onProgress(`waiting until ${text}`)
  const isReached = await pollCluster(
    async () => hasReached(await readNode(cluster, node), goal, bootBefore),
    {interval: 2_000, deadline},
  )
  if (isReached) return
  throw new KkError('KK_UNHEALTHY', `the command has ended, but not ${text}; ${node} stays drained`, {
    hint: 'repeat kk node roll; kk node return takes the node back without it',
  })
}

/**
 * Waits until all releases are healthy, and still are after the soak. Returns which are not at the deadline.
 */
async function worse({
  soak,
  plan,
  ignoresUnhealthy,
  unhealthyReleases,
  newDeadline,
  onProgress,
}: Rolling): Promise<string | undefined> {
  const ignored = new Set(ignoresUnhealthy ? plan.unhealthy : [])
  let left: readonly string[] = []
  const healthy = () =>
    pollCluster(
      async () => {
        left = (await unhealthyReleases()).filter((release) => !ignored.has(release))
        return left.length === 0
      },
      {interval: 5_000, deadline: newDeadline()},
    )
  if ((await healthy()) && soak > 0) {
    onProgress(`all releases are healthy; watching for ${Math.round(soak / 1000)} s`)
    await wait(soak)
    await healthy()
  }
  return left.length === 0 ? undefined : `it is back, but these are not healthy: ${left.join('; ')}`
}

async function annotate(
  {objects}: Pick<Cluster, 'objects'>,
  name: string,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  await patiently(() => objects.merge(NODES, {namespace: '', name}, {metadata: {annotations}}))
}

/** Removes the marks of a roll that is complete: the next one with this command is another. */
async function forget(cluster: Pick<Cluster, 'objects'>, digest: string): Promise<void> {
  for (const node of await nodesOf(cluster))
    if (mark(node, ROLLED)[0] === digest) await annotate(cluster, node.metadata.name, {[ROLLED]: null})
}
