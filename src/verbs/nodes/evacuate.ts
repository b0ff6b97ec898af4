import {setTimeout as wait} from 'node:timers/promises'
import {collectors, type Deployed, gather} from '../../audit/gather.ts'
import {KkError} from '../../base/errors.ts'
import {type EvacuationPlan, planEvacuation} from '../../nodes/evacuation-plan.ts'
import type {OperationEvent} from '../../nodes/facts.ts'
import type {DrainOptions, DrainPorts, Names} from './drain.ts'
import {execute, requireTemplate, settledFacts} from './instances.ts'
import {isSilent, podsOf, readNode} from './kubernetes-node.ts'

/** How the instances of a dead node start elsewhere. */
export interface NodeEvacuationPlan extends EvacuationPlan {
  readonly node: string
}

/**
 * Plans how the instances of a dead node start on other nodes. Throws `KK_NO_NODE`, and `KK_NOT_INSTALLED` if
 * the environment runs no nova.
 */
export async function planEvacuate(
  cluster: DrainPorts,
  options: DrainOptions,
  settle: () => Promise<unknown> = () => wait(CLIENT_TIMEOUT_MS),
): Promise<{readonly plan: NodeEvacuationPlan; readonly names: Names}> {
  const {environment, node} = options
  const seen = await readNode(cluster, node)
  const template = await requireTemplate(cluster, environment)
  const facts = await settledFacts(cluster, template, {...options, avoidedNode: node})
  const planned = async () =>
    planEvacuation(facts, node, {isSilent: isSilent(seen), clients: await clientsOfDisks(cluster, options)})
  let found = await planned()
  const withoutDisks = planEvacuation(facts, node, {isSilent: isSilent(seen), clients: new Map()})
  if (found.doubts.length > 0 && withoutDisks.doubts.length === 0) {
    options.onProgress(`${found.doubts[0]}; waiting until Ceph drops the clients that do not answer`)
    await settle()
    found = await planned()
  }
  const plan = {node, ...found}
  return {plan, names: new Map(facts.servers.map(({id, name}) => [id, name]))}
}

/**
 * An OSD that has taken over a disk counts the 30 s of a silent client from the first request for the disk
 * (`osd_client_watch_timeout`; Ceph 18: PrimaryLogPG::populate_obc_watchers).
 */
const CLIENT_TIMEOUT_MS = 35_000

/** The result of an evacuation. */
export interface Evacuated {
  readonly node: string
  readonly operations: readonly OperationEvent[]
  readonly stays: EvacuationPlan['stays']
}

/**
 * Starts the instances of a dead node on others. Throws `KK_NODE_ALIVE` if the node may still be running.
 */
export async function evacuate(
  cluster: DrainPorts,
  {plan, ...options}: DrainOptions & {readonly plan: NodeEvacuationPlan; readonly concurrency: number},
): Promise<Evacuated> {
  const {node, operations, stays} = plan
  refuseIfAlive(plan)
  const template = await requireTemplate(cluster, options.environment)
  const ended = await execute(cluster, template, {...options, operations, avoidedNode: node})
  return {node, operations: ended, stays}
}

/** Throws `KK_NODE_ALIVE` if something shows that the node may still be running. */
export function refuseIfAlive({node, doubts}: NodeEvacuationPlan): void {
  if (doubts.length === 0) return
  throw new KkError('KK_NODE_ALIVE', `${node} may still be running: ${doubts.join('; ')}`, {
    hint: `switch it off, and wait a minute; if it is to run on, kk node drain ${node} moves its instances`,
  })
}

/**
 * Returns the clients that have opened each image in the pools of nova and cinder, asked in pods of other
 * nodes; undefined if these have no pools in Ceph.
 */
async function clientsOfDisks(
  {exec}: DrainPorts,
  {environment, node, files}: DrainOptions,
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const elsewhere = {
    ...exec,
    pods: async (namespace: string) => (await exec.pods(namespace)).filter((pod) => pod.node !== node),
  }
  const pods = await podsOf(elsewhere, environment)
  if (!pods.some(({chart}) => chart === 'nova'))
    throw new KkError(
      'KK_EXEC',
      `no pod of nova on another node can ask for the clients of the disks of ${node}`,
    )
  const releases = pods
    .filter(({chart}) => chart === 'nova' || chart === 'cinder')
    .map(({namespace, release: name, chart}): Deployed => ({namespace, name, chart}))
  const unique = new Map(releases.map((each) => [`${each.namespace}/${each.name}`, each]))
  const {facts, notAsked} = await gather(
    {exec: elsewhere, program: collectors(files)},
    {
      releases: [...unique.values()],
      only: {sources: ['server pools', 'volume pools'], node: undefined},
    },
  )
  const [unread] = notAsked
  if (unread) throw new KkError('KK_EXEC', `${unread.source} cannot be read: ${unread.reason}`)
  const pools = [facts.serverPools, facts.volumePools].flatMap((each) => (each ? [each] : []))
  if (pools.length === 0) return undefined
  const images = pools.flatMap((each) => Object.values(each.pools).flatMap((pool) => Object.entries(pool)))
  return new Map(images.map(([name, clients]) => [name, clients.map(({address}) => address)]))
}
