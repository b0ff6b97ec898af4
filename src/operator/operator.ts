import {LEASES} from '../cluster/api/resources.ts'
import type {HeldLease} from '../cluster/cluster.ts'
import {driverLease, driverLeaseName} from '../cluster/lease/driver.ts'
import {KK_NAMESPACE} from '../cluster/lease/lease.ts'
import type {Objects} from '../cluster/objects.ts'
import {asKkError, type KkError} from '../errors.ts'
import type {Plan} from '../plan/plan.ts'
import {releaseNamespace} from '../release.ts'
import {type Interruption, newInterruption} from '../run/interruption.ts'
import {usesReader} from '../verbs/preparation/uses-reader.ts'
import {newOrders} from './children/orders.ts'
import {isPassing} from './decide.ts'
import {driftPorts, newDriftWatch} from './drift-watch.ts'
import {type Events, newEvents} from './events.ts'
import {followInputs, type Inputs} from './inputs.ts'
import {MANAGER, newKeeper, OPERATOR} from './keeper.ts'
import type {Condition} from './kinds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from './kinds/environment-kind.ts'
import {RELEASES, type ReleaseObject, rowName} from './kinds/release-kind.ts'
import type {Look, OperatorPorts, Pass} from './pass.ts'
import {openQueue, type QuietFor} from './queue.ts'
import {type Passed, reconcile} from './reconcile.ts'
import {leave} from './removal.ts'
import {newTeller} from './teller.ts'
import {openWorld} from './world.ts'

/** Who drives an environment, for messages and on its Lease. */
const DRIVER = 'the operator'
/** An Environment is looked at again even if nothing is seen to change; in milliseconds. */
const RESYNC = 600_000

export interface OperatorOptions {
  readonly ports: OperatorPorts
  /** A parent: children do the actions of its plans, and these are the shards that have processes of their own. */
  readonly shards?: readonly string[] | undefined
  /** The name of this process, for others. */
  readonly holder: string
  /** Start nothing more, let what runs end, give everything back. */
  readonly stop: AbortSignal
  readonly state: OperatorState
  /** Told of each pass over an Environment that has ended, and how long it took. */
  readonly onPass: (result: 'success' | 'error', seconds: number) => void
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
  /** The conditions of each Environment, as they were written last. */
  conditions: () => readonly (readonly Condition[])[]
}

/** Waits until this process leads, then drives every Environment until it is stopped. Throws `KK_LEASE_LOST`. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const {ports, holder, stop, state, say} = options
  const lease = await leadership(ports, holder, {stop, say})
  if (!lease) return
  state.isLeader = true
  say('leading')
  try {
    await drive(options, AbortSignal.any([stop, lease.lost]))
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
  const held = cluster.hold(OPERATOR, holder, Number.POSITIVE_INFINITY, onHeld)
  const lease = await Promise.race([held, aborted(stop)])
  if (!lease) held.then((late) => late.release()).catch(() => undefined)
  return lease
}

/** Follows what the Environments are made of, and passes over each whenever something of it may be otherwise. */
async function drive(
  {ports, shards, holder, state, onPass, say}: OperatorOptions,
  stop: AbortSignal,
): Promise<void> {
  const {objects} = ports.cluster
  const closing = new AbortController()
  const {signal} = closing
  const interruptions = new Map<string, Interruption>()
  const looks = new Map<string, Look>()
  const environments = newKeeper(objects, ENVIRONMENTS)
  const releases = newKeeper(objects, RELEASES)
  const events = newEvents(objects, {instance: holder, onError: (error) => say(asKkError(error).message)})
  const readUses = usesReader(ports.cluster, new Set())
  const drifts = newDriftWatch(driftPorts(ports.cluster))
  const onError = (name: string, error: unknown) => say(`${name}: ${asKkError(error).message}`)
  const queue = openQueue({work: timed(work, onPass), onError})
  const world = openWorld(objects, {signal, ring: queue.add})
  const inputs = followInputs(objects, signal, {
    onChanged(name) {
      if (!inputs.environment(name)) environments.forget(name)
      // What runs for what it no longer is ends as soon as it can: the next pass sees what is there.
      stopOnce(interruptions.get(name))
      queue.add(name)
    },
    onLost(release, environment) {
      releases.forget(release)
      if (environment !== undefined) queue.add(environment)
    },
  })
  const orders = shards && newOrders({cluster: ports.cluster, rows: inputs.rows, releases, shards})
  state.depth = queue.depth
  state.overdue = queue.overdue
  state.problem = () => inputs.problem()
  state.conditions = () =>
    inputs
      .names()
      .map((name) => (environments.status(name) as EnvironmentStatus | undefined)?.conditions ?? [])

  async function work(name: string, quietFor: QuietFor): Promise<number | undefined> {
    const found = inputs.environment(name)
    if (!found) {
      looks.delete(name)
      drifts.forget(name)
      return undefined
    }
    environments.see(found)
    const rows = inputs.releases(name)
    for (const row of rows) releases.see(row)
    await orders?.recall(rows as unknown as readonly ReleaseObject[])
    // What was written last may not have been seen yet.
    const environment = {...found, status: environments.status(name) ?? {}}
    const uids = new Map(rows.map(({metadata}) => [metadata.name, metadata.uid]))
    const teller = newTeller(environment, {
      ...{environments, releases, events},
      uidOf: (row) => uids.get(row),
      onError: (error) => onError(name, error),
    })
    const interruption = newInterruption()
    interruptions.set(name, interruption)
    const lookOf: Pass['lookOf'] = (target, make) => {
      const known = looks.get(name)
      const look = known?.target === target ? known : {target, read: make()}
      looks.set(name, look)
      return look
    }
    const pass = {telling: teller, interruption, quietFor, readUses, drifts, orders, lookOf}
    const passed = await passOver(environment, ports, {...pass, events}).finally(() =>
      interruptions.delete(name),
    )
    if (passed) {
      const {plan} = passed
      world.watch(name, [...new Set(plan.actions.map(({release}) => releaseNamespace(release)))])
      await dropRows(rows, plan, objects)
    }
    return passed?.hasRun ? 0 : Math.min(RESYNC, drifts.due(name))
  }

  await aborted(stop)
  for (const interruption of interruptions.values()) stopOnce(interruption)
  await queue.close()
  closing.abort()
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
    if (!wanted.has(metadata.name))
      await objects.delete(RELEASES, {namespace: KK_NAMESPACE, name: metadata.name})
}

/** Brings one Environment as far as its inputs and the cluster allow, and writes what became of it. */
async function passOver(
  environment: EnvironmentObject,
  ports: OperatorPorts,
  pass: Pass & {readonly events: Events},
): Promise<Passed | undefined> {
  const {objects} = ports.cluster
  const {name, uid = '', deletionTimestamp} = environment.metadata
  const {telling, events} = pass
  if (deletionTimestamp !== undefined) {
    const left = await leave({environment, ports, pass}, ports.cluster.now())
    if (left) events.tell({kind: ENVIRONMENTS.kind, name, uid}, left)
    return undefined
  }
  if (environment.spec.suspend) {
    await objects.delete(LEASES, {namespace: KK_NAMESPACE, name: driverLeaseName(name)})
    await telling.tell({kind: 'paused'})
    return undefined
  }
  try {
    if ((await ports.cluster.driver(name)) === undefined) {
      const owner = {apiVersion: ENVIRONMENTS.apiVersion, kind: ENVIRONMENTS.kind, name, uid}
      await objects.apply(LEASES, driverLease(name, DRIVER, owner), {manager: MANAGER})
    }
    return await reconcile(environment, ports, pass)
  } catch (caught) {
    const error = asKkError(caught)
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
