import {asKkError, type KkError} from '../base/errors.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {HeldLease, Leases} from '../kubernetes/lease/leases.ts'
import {whileHeld} from '../kubernetes/lease/while-held.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import type {Plan} from '../plan/plan.ts'
import {releaseNamespace} from '../release.ts'
import {type Interruption, newInterruption} from '../run/interruption.ts'
import {expectNoCycle} from './after.ts'
import {newOrders} from './children/orders.ts'
import {sizesOf} from './children/shards.ts'
import {isPassing} from './decide.ts'
import {newDriftWatch} from './drift-watch.ts'
import {type Events, newEvents} from './events.ts'
import {followInputs, type Inputs} from './inputs.ts'
import {newKeeper, OPERATOR} from './keeper.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from './kinds/environment-kind.ts'
import {RELEASES, type ReleaseObject, rowName} from './kinds/release-kind.ts'
import {expectKnown, expectServed} from './kinds/versions.ts'
import type {OnGate, Pass} from './pass.ts'
import {openQueue, type QuietFor} from './queue.ts'
import {type Passed, reconcile} from './reconcile.ts'
import {leave} from './removal.ts'
import {type Contact, giveUp, type OperatorPorts, openSites, whileClaimed} from './sites.ts'
import {newTeller} from './teller.ts'

/** An Environment is looked at again even if nothing is seen to change; in milliseconds. */
const RESYNC = 600_000
/** A cluster that does not answer is asked again, in milliseconds. */
const ASK_AGAIN = 30_000
/** So long an Environment may wait for what an earlier parent has ordered, and until its cluster has room, in milliseconds. */
const LONGEST_TURN = 14_400_000

export interface OperatorOptions {
  readonly ports: OperatorPorts
  /** Opens the cluster of a kubeconfig, which holds everything that its user needs. */
  readonly connect: (kubeconfig: string, context: string) => Promise<OperatorPorts>
  /** A parent: children do the actions of its plans, and these are the shards that have processes of their own. */
  readonly shards?: readonly string[] | undefined
  /** The name of this process, for others. */
  readonly holder: string
  /** Start nothing more, let what runs end, give everything back. */
  readonly stop: AbortSignal
  readonly state: OperatorState
  /** Told of each pass over an Environment that has ended, and how long it took. */
  readonly onPass: (result: 'success' | 'error', seconds: number) => void
  readonly onGate: OnGate
  readonly say: (line: string) => void
}

/** What is told of the operator while it runs. */
export interface OperatorState {
  isLeader: boolean
  /** What keeps the leader from seeing its Environments; undefined while nothing does. */
  problem: () => string | undefined
  /** An Environment whose pass hangs. */
  overdue: () => string | undefined
  depth: () => number
  /** The status of each Environment, as it was written last. */
  statuses: () => ReadonlyMap<string, EnvironmentStatus>
  /** How many releases each shard has; empty where one process does all. */
  shards: () => ReadonlyMap<string, number>
}

/** Waits until this process leads, then drives every Environment until it is stopped. Throws `KK_LEASE_LOST`. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const {ports, holder, stop, state, say} = options
  const lease = await leadership(ports, holder, {stop, say})
  if (!lease) return
  state.isLeader = true
  say('leading')
  try {
    const cluster = whileHeld(ports.cluster, lease)
    await drive({...options, ports: {...ports, cluster}}, AbortSignal.any([stop, lease.lost]))
  } finally {
    state.isLeader = false
    await lease.release()
  }
  lease.lost.throwIfAborted()
}

/** Resolves with the operator's Lease once nobody else has it; with nothing if it is stopped before. */
async function leadership(
  {cluster}: OperatorPorts,
  holder: string,
  {stop, say}: Pick<OperatorOptions, 'stop' | 'say'>,
): Promise<HeldLease | undefined> {
  const onHeld = (by: string) => say(`standing by: ${by} leads`)
  return cluster.leases
    .hold(OPERATOR, holder, Number.POSITIVE_INFINITY, {onHeld, stop})
    .catch((error: unknown) => {
      if (stop.aborted) return undefined
      throw error
    })
}

/** Follows what the Environments are made of, and passes over each whenever something of it may be otherwise. */
async function drive(
  {ports, connect, shards, holder, state, onPass, onGate, say}: OperatorOptions,
  stop: AbortSignal,
): Promise<void> {
  const {objects} = ports.cluster
  const closing = new AbortController()
  const {signal} = closing
  const interruptions = new Map<string, Interruption>()
  const environments = newKeeper(objects, ENVIRONMENTS)
  const releases = newKeeper(objects, RELEASES)
  const events = newEvents(objects, {instance: holder, onError: (error) => say(asKkError(error).message)})
  const drifts = newDriftWatch()
  const onError = (name: string, error: unknown) => say(`${name}: ${asKkError(error).message}`)
  const queue = openQueue({work: timed(work, onPass), onError})
  const sites = openSites({hub: objects, own: ports, connect, signal, ring: queue.add})
  const inputs = followInputs(objects, signal, {
    onChanged(name) {
      if (!inputs.environment(name)) environments.forget(name)
      // What runs for what it no longer is ends as soon as it can: the next pass sees what is there.
      stopOnce(interruptions.get(name))
      queue.add(name)
    },
    onAwaited: queue.add,
    onLost(release, environment) {
      releases.forget(release)
      if (environment !== undefined) queue.add(environment)
    },
  })
  const orders = shards && newOrders({cluster: ports.cluster, rows: inputs.rows, releases, shards})
  state.depth = queue.depth
  state.overdue = queue.overdue
  state.problem = () => inputs.problem()
  state.statuses = () => new Map(inputs.names().map((name) => [name, environments.status(name) ?? {}]))
  if (shards)
    state.shards = () => sizesOf(inputs.ownReleases() as unknown as readonly ReleaseObject[], shards)

  async function work(name: string, quietFor: QuietFor): Promise<number | undefined> {
    // A watch may lag behind, that of an API server which has just come up by minutes: what is driven is what is there now.
    const found = await objects.read<EnvironmentObject>(ENVIRONMENTS, placeOf(name))
    if (!found) {
      // What is served no more is not gone.
      await expectServed(ports.cluster.apiServer)
      drifts.forget(name)
      await sites.forget(name)
      return undefined
    }
    environments.see(found)
    const rows = inputs.releases(name)
    for (const row of rows) releases.see(row)
    // Children work in their own cluster.
    const ownOrders = found.spec.cluster ? undefined : orders
    // A helm that an earlier parent has ordered is waited for, and then the turn.
    quietFor(LONGEST_TURN)
    await ownOrders?.recall(name, rows as unknown as readonly ReleaseObject[])
    // What was written last may not have been seen yet.
    const environment = {...found, status: environments.status(name) ?? {}}
    const uids = new Map(rows.map(({metadata}) => [metadata.name, metadata.uid]))
    const contact = sites.contact(environment, (identity) =>
      environments.keep({metadata: {name}, status: {...environment.status, cluster: {identity}}}),
    )
    const teller = newTeller(environment, {
      ...{environments, releases, events},
      ...{uids, reachable: contact.finding},
      onError: (error) => onError(name, error),
    })
    const interruption = newInterruption()
    interruptions.set(name, interruption)
    const find = (other: string) => inputs.environment(other)
    const pass = {
      telling: teller,
      interruption,
      quietFor,
      drifts,
      onGate,
      contact,
      events,
      find,
      leases: ports.cluster.leases,
      orders: ownOrders,
    }
    const passed = await sites
      .inTurn(environment, () => {
        quietFor(RESYNC)
        return passOver(environment, {...pass, hub: objects, reach: contact.reach})
      })
      .finally(() => interruptions.delete(name))
    if (passed) await dropRows(rows, passed.plan, objects)
    if (contact.finding()?.status === 'False') return ASK_AGAIN
    if (passed?.hasRun) return 0
    const due = (passed?.due ?? Number.POSITIVE_INFINITY) - Date.now()
    return Math.min(RESYNC, Math.max(0, due))
  }

  await aborted(stop)
  for (const interruption of interruptions.values()) stopOnce(interruption)
  await queue.close()
  closing.abort()
  await sites.close()
}

type Work = (name: string, quietFor: QuietFor) => Promise<number | undefined>

/** Returns work that tells how it ended, and how long it took. */
function timed(work: Work, onPass: OperatorOptions['onPass']): Work {
  return async (name, quietFor) => {
    const began = performance.now()
    const end = (result: 'success' | 'error') => onPass(result, (performance.now() - began) / 1000)
    try {
      const pause = await work(name, quietFor)
      end('success')
      return pause
    } catch (error) {
      end('error')
      throw error
    }
  }
}

const placeOf = (name: string) => ({namespace: KK_NAMESPACE, name})

/** Lets what runs end, and starts nothing more; a second interruption would abort helm. */
function stopOnce(interruption: Interruption | undefined): void {
  if (interruption && !interruption.stop.aborted) interruption.interrupt()
}

/** Deletes the Releases of an Environment that its plan has no more. */
async function dropRows(
  rows: ReturnType<Inputs['releases']>,
  {environment, actions}: Plan,
  objects: Pick<Objects, 'delete'>,
): Promise<void> {
  const wanted = new Set(actions.map(({release}) => rowName(environment, release)))
  for (const {metadata} of rows)
    if (!wanted.has(metadata.name)) await objects.delete(RELEASES, placeOf(metadata.name))
}

interface Passing extends Pass {
  readonly leases: Leases
  readonly contact: Contact
  readonly events: Events
  readonly find: Inputs['environment']
}

/** Brings one Environment as far as its inputs and its cluster allow, and writes what became of it. */
async function passOver(environment: EnvironmentObject, pass: Passing): Promise<Passed | undefined> {
  const {name, uid = '', deletionTimestamp} = environment.metadata
  const {telling, events, contact} = pass
  if (deletionTimestamp !== undefined) {
    const left = await leave({environment, pass}, pass.leases.now())
    if (left) events.tell({kind: ENVIRONMENTS.kind, name, uid}, left)
    return undefined
  }
  if (environment.spec.suspend) {
    // Nothing runs, whether that can be said in its cluster or not: what is said there runs out by itself.
    const letGo = contact.reach().then((site) => giveUp(environment.metadata, site))
    await (environment.spec.cluster ? letGo.catch((error: unknown) => contact.lose(asKkError(error))) : letGo)
    await telling.tell({kind: 'paused'})
    return undefined
  }
  try {
    expectKnown(environment)
    expectNoCycle(environment, pass.find)
    const site = await contact.reach()
    const passed = await whileClaimed(environment, site, () => reconcile(environment, site, pass))
    const namespaces = passed.plan.actions.map(({release}) => releaseNamespace(release))
    site.world.watch(name, [...new Set(namespaces)])
    return passed
  } catch (caught) {
    const error = asKkError(caught)
    if (environment.spec.cluster && error.code === 'KK_UNREACHABLE') {
      contact.lose(error)
      await telling.tell({kind: 'unreachable', error})
      return undefined
    }
    await telling.tell({kind: 'unplanned', error, isFinal: isFinal(error)})
    if (!isFinal(error)) throw error
    return undefined
  }
}

function isFinal({code, exit}: KkError): boolean {
  return (exit === 2 || exit === 3) && !isPassing(code)
}

function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), {once: true}))
}
