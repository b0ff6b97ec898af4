import {asKkError, type KkError} from '../base/errors.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {HeldLease, Leases} from '../kubernetes/lease/leases.ts'
import {whileHeld} from '../kubernetes/lease/while-held.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import type {Plan} from '../plan/plan.ts'
import {releaseNamespace} from '../release.ts'
import {type Interruption, newInterruption} from '../run/interruption.ts'
import {newApplyCache, OPERATOR_LEASE} from './apply-cache.ts'
import {
  type ConnectionAttempt,
  type OperatorPorts,
  openClusterConnections,
  releaseClaim,
  whileClaimed,
} from './cluster-connections.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from './crds/environment.ts'
import {RELEASES, type ReleaseObject, releaseObjectName} from './crds/release.ts'
import {expectKnownFields, expectServed} from './crds/versions.ts'
import {isTransient} from './decision.ts'
import {newDriftWatcher} from './drift-watcher.ts'
import {type EventRecorder, newEventRecorder} from './event-recorder.ts'
import {finalize} from './finalizer.ts'
import {followInputs, type Inputs} from './input-watcher.ts'
import {expectNoCycle} from './predecessors.ts'
import {type ReconcileResult, reconcile} from './reconcile.ts'
import type {OnGate, ReconcileContext} from './reconcile-context.ts'
import {newStatusWriter} from './status-writer.ts'
import {type Heartbeat, openWorkQueue} from './work-queue.ts'
import {newDispatcher} from './workers/dispatcher.ts'
import {countByShard} from './workers/shards.ts'

/** An Environment is looked at again even if nothing is seen to change; in milliseconds. */
const RESYNC_PERIOD_MS = 600_000
/** A cluster that does not answer is asked again, in milliseconds. */
const UNREACHABLE_REQUEUE_MS = 30_000
/** So long an Environment may wait for what an earlier parent has ordered, and until its cluster has room, in milliseconds. */
const MAX_TURN_WAIT_MS = 14_400_000

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
  readonly onReconcile: (result: 'success' | 'error', seconds: number) => void
  readonly onGate: OnGate
  readonly say: (line: string) => void
}

/** What is told of the operator while it runs. */
export interface OperatorState {
  isLeader: boolean
  /** What keeps the leader from seeing its Environments; undefined while nothing does. */
  problem: () => string | undefined
  /** An Environment whose pass hangs. */
  stuck: () => string | undefined
  depth: () => number
  /** The status of each Environment, as it was written last. */
  statuses: () => ReadonlyMap<string, EnvironmentStatus>
  /** How many releases each shard has; empty where one process does all. */
  shards: () => ReadonlyMap<string, number>
}

/** Waits until this process leads, then drives every Environment until it is stopped. Throws `KK_LEASE_LOST`. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const {ports, holder, stop, state, say} = options
  const lease = await acquireLeadership(ports, holder, {stop, say})
  if (!lease) return
  state.isLeader = true
  say('leading')
  try {
    const cluster = whileHeld(ports.cluster, lease)
    await runController({...options, ports: {...ports, cluster}}, AbortSignal.any([stop, lease.lost]))
  } finally {
    state.isLeader = false
    await lease.release()
  }
  lease.lost.throwIfAborted()
}

/** Resolves with the operator's Lease once nobody else has it; with nothing if it is stopped before. */
async function acquireLeadership(
  {cluster}: OperatorPorts,
  holder: string,
  {stop, say}: Pick<OperatorOptions, 'stop' | 'say'>,
): Promise<HeldLease | undefined> {
  const onHeld = (by: string) => say(`standing by: ${by} leads`)
  return cluster.leases
    .hold(OPERATOR_LEASE, holder, Number.POSITIVE_INFINITY, {onHeld, stop})
    .catch((error: unknown) => {
      if (stop.aborted) return undefined
      throw error
    })
}

/** Follows what the Environments are made of, and passes over each whenever something of it may be otherwise. */
async function runController(
  {ports, connect, shards, holder, state, onReconcile, onGate, say}: OperatorOptions,
  stop: AbortSignal,
): Promise<void> {
  const {objects} = ports.cluster
  const closing = new AbortController()
  const {signal} = closing
  const interruptions = new Map<string, Interruption>()
  const environments = newApplyCache(objects, ENVIRONMENTS)
  const releases = newApplyCache(objects, RELEASES)
  const events = newEventRecorder(objects, {
    instance: holder,
    onError: (error) => say(asKkError(error).message),
  })
  const driftWatcher = newDriftWatcher()
  const onError = (name: string, error: unknown) => say(`${name}: ${asKkError(error).message}`)
  const queue = openWorkQueue({work: withTiming(work, onReconcile), onError})
  const connections = openClusterConnections({hub: objects, own: ports, connect, signal, enqueue: queue.add})
  const inputs = followInputs(objects, signal, {
    onChanged(name) {
      if (!inputs.environment(name)) environments.forget(name)
      // What runs for what it no longer is ends as soon as it can: the next pass sees what is there.
      stopOnce(interruptions.get(name))
      queue.add(name)
    },
    onPredecessorReady: queue.add,
    onReleaseDeleted(release, environment) {
      releases.forget(release)
      if (environment !== undefined) queue.add(environment)
    },
  })
  const dispatcher =
    shards && newDispatcher({cluster: ports.cluster, releaseObjects: inputs.releaseObjects, releases, shards})
  state.depth = queue.depth
  state.stuck = queue.stuck
  state.problem = () => inputs.problem()
  state.statuses = () => new Map(inputs.names().map((name) => [name, environments.status(name) ?? {}]))
  if (shards)
    state.shards = () => countByShard(inputs.ownReleases() as unknown as readonly ReleaseObject[], shards)

  async function work(name: string, heartbeat: Heartbeat): Promise<number | undefined> {
    // A watch may lag behind, that of an API server which has just come up by minutes: what is driven is what is there now.
    const found = await objects.read<EnvironmentObject>(ENVIRONMENTS, objectKey(name))
    if (!found) {
      // What is served no more is not gone.
      await expectServed(ports.cluster.apiServer)
      driftWatcher.forget(name)
      await connections.forget(name)
      return undefined
    }
    environments.observe(found)
    const releaseObjects = inputs.releases(name)
    for (const row of releaseObjects) releases.observe(row)
    // Children work in their own cluster.
    const ownDispatcher = found.spec.cluster ? undefined : dispatcher
    // A helm that an earlier parent has ordered is waited for, and then the turn.
    heartbeat(MAX_TURN_WAIT_MS)
    await ownDispatcher?.cancel(name, releaseObjects as unknown as readonly ReleaseObject[])
    // What was written last may not have been seen yet.
    const environment = {...found, status: environments.status(name) ?? {}}
    const uids = new Map(releaseObjects.map(({metadata}) => [metadata.name, metadata.uid]))
    const attempt = connections.forEnvironment(environment, (identity) =>
      environments.apply({metadata: {name}, status: {...environment.status, cluster: {identity}}}),
    )
    const statusWriter = newStatusWriter(environment, {
      ...{environments, releases, events},
      ...{uids, reachable: attempt.condition},
      onError: (error) => onError(name, error),
    })
    const interruption = newInterruption()
    interruptions.set(name, interruption)
    const find = (other: string) => inputs.environment(other)
    const context = {
      statusWriter,
      interruption,
      heartbeat,
      driftWatcher,
      onGate,
      attempt,
      events,
      find,
      leases: ports.cluster.leases,
      dispatcher: ownDispatcher,
    }
    const result = await connections
      .runLimited(environment, () => {
        heartbeat(RESYNC_PERIOD_MS)
        return reconcileEnvironment(environment, {...context, hub: objects, connect: attempt.connect})
      })
      .finally(() => interruptions.delete(name))
    if (result) await deleteStaleReleases(releaseObjects, result.plan, objects)
    if (attempt.condition()?.status === 'False') return UNREACHABLE_REQUEUE_MS
    if (result?.hasRun) return 0
    const due = (result?.due ?? Number.POSITIVE_INFINITY) - Date.now()
    return Math.min(RESYNC_PERIOD_MS, Math.max(0, due))
  }

  await untilAborted(stop)
  for (const interruption of interruptions.values()) stopOnce(interruption)
  await queue.close()
  closing.abort()
  await connections.close()
}

type Reconciler = (name: string, heartbeat: Heartbeat) => Promise<number | undefined>

/** Returns work that tells how it ended, and how long it took. */
function withTiming(work: Reconciler, onReconcile: OperatorOptions['onReconcile']): Reconciler {
  return async (name, heartbeat) => {
    const began = performance.now()
    const end = (result: 'success' | 'error') => onReconcile(result, (performance.now() - began) / 1000)
    try {
      const pause = await work(name, heartbeat)
      end('success')
      return pause
    } catch (error) {
      end('error')
      throw error
    }
  }
}

const objectKey = (name: string) => ({namespace: KK_NAMESPACE, name})

/** Lets what runs end, and starts nothing more; a second interruption would abort helm. */
function stopOnce(interruption: Interruption | undefined): void {
  if (interruption && !interruption.stop.aborted) interruption.interrupt()
}

/** Deletes the Releases of an Environment that its plan has no more. */
async function deleteStaleReleases(
  releaseObjects: ReturnType<Inputs['releases']>,
  {environment, actions}: Plan,
  objects: Pick<Objects, 'delete'>,
): Promise<void> {
  const wanted = new Set(actions.map(({release}) => releaseObjectName(environment, release)))
  for (const {metadata} of releaseObjects)
    if (!wanted.has(metadata.name)) await objects.delete(RELEASES, objectKey(metadata.name))
}

interface EnvironmentContext extends ReconcileContext {
  readonly leases: Leases
  readonly attempt: ConnectionAttempt
  readonly events: EventRecorder
  readonly find: Inputs['environment']
}

/** Brings one Environment as far as its inputs and its cluster allow, and writes what became of it. */
async function reconcileEnvironment(
  environment: EnvironmentObject,
  context: EnvironmentContext,
): Promise<ReconcileResult | undefined> {
  const {name, uid = '', deletionTimestamp} = environment.metadata
  const {statusWriter, events, attempt} = context
  if (deletionTimestamp !== undefined) {
    const left = await finalize({environment, context}, context.leases.now())
    if (left) events.record({kind: ENVIRONMENTS.kind, name, uid}, left)
    return undefined
  }
  if (environment.spec.suspend) {
    // Nothing runs, whether that can be said in its cluster or not: what is said there runs out by itself.
    const letGo = attempt.connect().then((connection) => releaseClaim(environment.metadata, connection))
    await (environment.spec.cluster
      ? letGo.catch((error: unknown) => attempt.markUnreachable(asKkError(error)))
      : letGo)
    await statusWriter.write({kind: 'paused'})
    return undefined
  }
  try {
    expectKnownFields(environment)
    expectNoCycle(environment, context.find)
    const connection = await attempt.connect()
    const result = await whileClaimed(environment, connection, () =>
      reconcile(environment, connection, context),
    )
    const namespaces = result.plan.actions.map(({release}) => releaseNamespace(release))
    connection.workloads.watch(name, [...new Set(namespaces)])
    return result
  } catch (caught) {
    const error = asKkError(caught)
    if (environment.spec.cluster && error.code === 'KK_UNREACHABLE') {
      attempt.markUnreachable(error)
      await statusWriter.write({kind: 'unreachable', error})
      return undefined
    }
    await statusWriter.write({kind: 'unplanned', error, isFinal: isFinal(error)})
    if (!isFinal(error)) throw error
    return undefined
  }
}

function isFinal({code, exit}: KkError): boolean {
  return (exit === 2 || exit === 3) && !isTransient(code)
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), {once: true}))
}
