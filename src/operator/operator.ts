import {asKkError} from '../base/errors.ts'
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
import {
  ENVIRONMENT,
  ENVIRONMENTS,
  type EnvironmentObject,
  type EnvironmentStatus,
} from './crds/environment.ts'
import {RELEASES, type ReleaseObject, releaseObjectName} from './crds/release.ts'
import {expectKnownFields, expectServed} from './crds/versions.ts'
import {isFinal} from './decision.ts'
import {newDriftWatcher} from './drift-watcher.ts'
import {type EventRecorder, newEventRecorder} from './event-recorder.ts'
import {finalize} from './finalizer.ts'
import {followInputs, type Inputs} from './input-watcher.ts'
import {openNodeOperations} from './node-operations.ts'
import {expectNoCycle} from './predecessors.ts'
import {type ReconcileResult, reconcile} from './reconcile.ts'
import type {OnGate, ReconcileContext} from './reconcile-context.ts'
import {newStatusWriter} from './status-writer.ts'
import {type Heartbeat, openWorkQueue} from './work-queue.ts'
import {newDispatcher} from './workers/dispatcher.ts'
import {countByShard} from './workers/shards.ts'

/** An Environment without changes is reconciled again after this period. */
const RESYNC_PERIOD_MS = 600_000
/** An Environment is requeued after this time if its cluster does not answer. */
const UNREACHABLE_REQUEUE_MS = 30_000
/**
 * Heartbeat deadline while an Environment waits for tasks of an earlier parent and for its turn on its
 * cluster.
 */
const MAX_TURN_WAIT_MS = 14_400_000

export interface OperatorOptions {
  readonly ports: OperatorPorts
  /** The directory of kk's own files. */
  readonly files: string
  /** Connects to the cluster of a self-contained kubeconfig. */
  readonly connect: (kubeconfig: string, context: string) => Promise<OperatorPorts>
  /**
   * The shards with dedicated workers, if this process is a parent (`--role parent`), which dispatches tasks
   * to workers.
   */
  readonly shards?: readonly string[] | undefined
  /** The name of this process, as holder of its Leases. */
  readonly holder: string
  /** Graceful shutdown: running work ends, and Leases are released. */
  readonly stop: AbortSignal
  readonly state: OperatorState
  /** Called at the end of each reconciliation, with its duration in seconds. */
  readonly onReconcile: (result: 'success' | 'error', seconds: number) => void
  readonly onGate: OnGate
  readonly say: (line: string) => void
}

/** The state of the running operator, for probes and metrics. */
export interface OperatorState {
  isLeader: boolean
  /** Returns why the leader cannot watch its Environments; undefined if it can. */
  problem: () => string | undefined
  /** Returns an Environment whose reconciliation is stuck. */
  stuck: () => string | undefined
  depth: () => number
  /** Returns the status of each Environment, as it was written last. */
  statuses: () => ReadonlyMap<string, EnvironmentStatus>
  /** Returns the number of releases per shard; empty without workers. */
  shards: () => ReadonlyMap<string, number>
}

/** Waits for leadership, then reconciles all Environments until it is stopped. Throws `KK_LEASE_LOST`. */
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

/** Resolves with the leader election Lease once it is acquired; with undefined if `stop` is aborted first. */
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

/**
 * Watches the inputs of all Environments, and reconciles an Environment when they or its workloads change.
 */
async function runController(
  {ports, files, connect, shards, holder, state, onReconcile, onGate, say}: OperatorOptions,
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
      // A run for outdated inputs ends as soon as it can; the next reconciliation observes its outcome.
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
  const nodeOperations = openNodeOperations({
    ...{hub: objects, own: ports, connect, files, events, signal, stop, onError},
    findEnvironment: inputs.environment,
  })
  state.depth = queue.depth
  state.stuck = () => queue.stuck() ?? nodeOperations.stuck()
  state.problem = () => inputs.problem()
  state.statuses = () => new Map(inputs.names().map((name) => [name, environments.status(name) ?? {}]))
  if (shards)
    state.shards = () => countByShard(inputs.ownReleases() as unknown as readonly ReleaseObject[], shards)

  async function work(name: string, heartbeat: Heartbeat): Promise<number | undefined> {
    // A direct read, because a watch can lag behind, by minutes if the API server has just started.
    const current = await objects.read<EnvironmentObject>(ENVIRONMENTS, objectKey(name))
    if (!current) {
      // Environments of a version that is no longer served still exist.
      await expectServed(ports.cluster.apiServer)
      driftWatcher.forget(name)
      await connections.forget(name)
      return undefined
    }
    environments.observe(current)
    const releaseObjects = inputs.releases(name)
    for (const row of releaseObjects) releases.observe(row)
    // Workers work only in their own cluster.
    const ownDispatcher = current.spec.cluster ? undefined : dispatcher
    // Waits until helm processes of tasks of an earlier parent have ended, then for the turn.
    heartbeat(MAX_TURN_WAIT_MS)
    await ownDispatcher?.cancel(name, releaseObjects as unknown as readonly ReleaseObject[])
    // The last written status can be newer than the one that was read.
    const environment = {...current, status: environments.status(name) ?? {}}
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
    const delayMs = (result?.due ?? Number.POSITIVE_INFINITY) - Date.now()
    return Math.min(RESYNC_PERIOD_MS, Math.max(0, delayMs))
  }

  await untilAborted(stop)
  for (const interruption of interruptions.values()) stopOnce(interruption)
  await Promise.all([queue.close(), nodeOperations.close()])
  closing.abort()
  await connections.close()
}

type Reconciler = (name: string, heartbeat: Heartbeat) => Promise<number | undefined>

/** Returns a reconciler that reports its result and duration. */
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

/**
 * Interrupts a run: running helm processes may finish, and no further one starts. A second interruption would
 * abort helm.
 */
function stopOnce(interruption: Interruption | undefined): void {
  if (interruption && !interruption.stop.aborted) interruption.interrupt()
}

/** Deletes the Releases of an Environment that are no longer in its plan. */
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

/** Reconciles one Environment, also a suspended or deleted one, and writes the outcome to its status. */
async function reconcileEnvironment(
  environment: EnvironmentObject,
  context: EnvironmentContext,
): Promise<ReconcileResult | undefined> {
  const {name, uid = '', deletionTimestamp} = environment.metadata
  const {statusWriter, events, attempt} = context
  if (deletionTimestamp !== undefined) {
    const outcome = await finalize({environment, context}, context.leases.now())
    if (outcome) events.record({kind: ENVIRONMENTS.kind, name, uid}, outcome)
    return undefined
  }
  if (environment.spec.suspend) {
    // No run is in progress, even if the claim cannot be released in its cluster: there it expires.
    const released = attempt.connect().then((connection) => releaseClaim(environment.metadata, connection))
    await (environment.spec.cluster
      ? released.catch((error: unknown) => attempt.markUnreachable(asKkError(error)))
      : released)
    await statusWriter.write({kind: 'paused'})
    return undefined
  }
  try {
    expectKnownFields(environment, ENVIRONMENT)
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

function untilAborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), {once: true}))
}
