import {asKkError, KkError} from '../base/errors.ts'
import {type Limiter, limiter} from '../base/limiter.ts'
import type {Helm} from '../helm/helm.ts'
import {LEASES} from '../kubernetes/api/resources.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {driverLease, driverLeaseName, OWN_OPERATOR} from '../kubernetes/lease/driver.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Leases} from '../kubernetes/lease/leases.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {type UsesReader, usesReader} from '../prepare/uses-reader.ts'
import {redactLines} from '../redact/lines.ts'
import type {statusReader} from '../verbs/observation/status.ts'
import type {Supplied} from '../verbs/secrets/supply-secrets.ts'
import {MANAGER} from './apply-cache.ts'
import type {ConditionInput} from './crds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject} from './crds/environment.ts'
import {kubeconfigFile} from './kubeconfig-file.ts'
import {type SourceText, secretText} from './source.ts'
import {newWorkloadWatcher, type WorkloadWatcher} from './workload-watcher.ts'

/** The ports to the cluster of the releases of an Environment. */
export interface OperatorPorts {
  readonly cluster: Cluster
  readonly helm: Helm
  /** Parses an environment file and prepares it with the overrides and the secrets in the cluster. */
  readonly open: (name: string, source: SourceText) => Promise<Supplied>
}

/**
 * A status snapshot of the releases of one target: it downloads each Helm record once, however often it is
 * read.
 */
export interface StatusSnapshot {
  readonly target: string
  readonly read: ReturnType<typeof statusReader>
}

/** A connection to the cluster of the releases of an Environment, with the caches that live as long. */
export interface ClusterConnection extends OperatorPorts {
  /** Whether it is the operator's own cluster, which has the Environments. */
  readonly isOwn: boolean
  readonly readUses: UsesReader
  readonly workloads: WorkloadWatcher
  /** The last snapshot per Environment. */
  readonly snapshots: Map<string, StatusSnapshot>
  /**
   * By Environment, the target whose run failed because another process killed helm; such a run is retried
   * once.
   */
  readonly killedTargets: Map<string, string>
}

/** The attempt of one reconciliation to connect to the cluster of its Environment. */
export interface ConnectionAttempt {
  /**
   * Connects, and verifies the identity of the cluster. Throws `KK_FILE` and `KK_KUBECONFIG` for an invalid
   * Secret, `KK_UNREACHABLE`, and `KK_WRONG_CLUSTER`.
   */
  connect(): Promise<ClusterConnection>
  /** Records that the cluster no longer answers. */
  markUnreachable(error: KkError): void
  /** Returns the condition `Reachable`; undefined for the operator's own cluster and before the attempt. */
  condition(): ConditionInput | undefined
}

/** The connections to the clusters of all Environments. */
export interface ClusterConnections {
  /**
   * Returns a connection attempt. `pin` stores the identity found at the first connection; later any other is
   * refused.
   */
  forEnvironment(environment: EnvironmentObject, pin: (identity: string) => Promise<void>): ConnectionAttempt
  /**
   * Runs work on an Environment under the concurrency limit of its cluster, so that a cluster delays only
   * itself.
   */
  runLimited<T>(environment: EnvironmentObject, work: () => Promise<T>): Promise<T>
  /** Releases the claim of a deleted Environment and closes its connection. */
  forget(environment: string): Promise<void>
  close(): Promise<void>
}

export interface ClusterConnectionsOptions {
  readonly hub: Pick<Objects, 'read'>
  /** The operator's own cluster. */
  readonly own: OperatorPorts
  /** Connects to another cluster. */
  readonly connect: (kubeconfig: string, context: string) => Promise<OperatorPorts>
  readonly signal: AbortSignal
  /** Enqueues an Environment when a workload or a Helm record of its releases has changed. */
  readonly enqueue: (environment: string) => void
}

/** The default key of the Secret. */
const KUBECONFIG_KEY = 'kubeconfig'
/** Concurrent reconciliations per cluster, apart from the operator's own. */
const MAX_RECONCILES_PER_CLUSTER = 4

interface OpenConnection {
  readonly connection: ClusterConnection
  readonly text: string
  readonly context: string | undefined
  /** The UID of the Environment. */
  readonly uid: string | undefined
  /** Whether the identity of the cluster was verified. */
  isVerified: boolean
  close(): Promise<void>
}

export function openClusterConnections({
  hub,
  own,
  connect,
  signal,
  enqueue,
}: ClusterConnectionsOptions): ClusterConnections {
  const connections = new Map<string, OpenConnection>()
  const limiters = new Map<string, Limiter>()
  const ownConnection = newConnection(own, {isOwn: true, signal, enqueue})

  async function disconnect(name: string): Promise<void> {
    const connection = connections.get(name)
    connections.delete(name)
    await connection?.close()
  }

  /**
   * Reads the kubeconfig again, because its tokens expire; an open connection is reused while it is
   * unchanged.
   */
  async function openConnection({metadata: {name, uid}, spec}: EnvironmentObject): Promise<OpenConnection> {
    const {kubeconfigSecret: secret, key = KUBECONFIG_KEY, context} = spec.cluster!
    const text = await secretText(hub, secret, key)
    const existing = connections.get(name)
    if (existing?.text === text && existing.context === context && existing.uid === uid) return existing
    await disconnect(name)
    const file = await kubeconfigFile({text, secret, context})
    const closing = new AbortController()
    const remove = () => Promise.resolve(closing.abort()).then(file.remove)
    const ports = await connect(file.path, file.context).catch(async (error: unknown) => {
      await remove()
      throw error
    })
    const connection = newConnection(ports, {isOwn: false, signal: closing.signal, enqueue})
    const close = () => remove().then(() => ports.cluster.close())
    const open = {connection, text, context, uid, isVerified: false, close}
    connections.set(name, open)
    return open
  }

  return {
    forEnvironment(environment, pin) {
      const {cluster} = environment.spec
      let reachable: ConditionInput | undefined
      if (!cluster)
        return {
          connect: async () => ownConnection,
          markUnreachable: () => undefined,
          condition: () => undefined,
        }
      const markUnreachable = (error: KkError) => {
        reachable = {type: 'Reachable', status: 'False', reason: error.code, message: redactedMessage(error)}
      }
      return {
        async connect() {
          const open = await openConnection(environment)
          const {connection} = open
          open.isVerified = false
          const probes = Promise.all([
            connection.cluster.apiServer.identity(),
            connection.cluster.apiServer.expectReady(),
          ])
          const identity = await probes.then(([{uid}]) => uid, throwUnreachable)
          const pinned = environment.status?.cluster?.identity
          expectIdentity(identity, {...cluster, pinned})
          if (pinned === undefined) await pin(identity)
          open.isVerified = true
          reachable = {
            type: 'Reachable',
            status: 'True',
            reason: 'Answers',
            message: 'its API server answers',
          }
          return connection
        },
        markUnreachable,
        condition: () => reachable,
      }
    },
    async runLimited({spec: {cluster}}, work) {
      if (!cluster) return await work()
      const limit = limiters.get(cluster.kubeconfigSecret) ?? limiter(MAX_RECONCILES_PER_CLUSTER)
      limiters.set(cluster.kubeconfigSecret, limit)
      return await limit(work)
    },
    async forget(name) {
      const open = connections.get(name)
      // The Lease that it owns can be left: by an orphaning deletion, or until the garbage collector runs.
      if (!open) return await releaseClaim({name}, ownConnection)
      // A claim that cannot be released expires.
      if (open.isVerified) await releaseClaim({name, uid: open.uid}, open.connection).catch(() => undefined)
      await disconnect(name)
    },
    async close() {
      await Promise.all([...connections.keys()].map(disconnect))
    },
  }
}

function newConnection(
  ports: OperatorPorts,
  {isOwn, ...watching}: Pick<ClusterConnectionsOptions, 'signal' | 'enqueue'> & {readonly isOwn: boolean},
): ClusterConnection {
  return {
    ...ports,
    isOwn,
    readUses: usesReader(ports.cluster, new Set()),
    workloads: newWorkloadWatcher(ports.cluster.objects, watching),
    snapshots: new Map(),
    killedTargets: new Map(),
  }
}

/** Throws `KK_UNREACHABLE` for an unexpected failure (exit code 1), else the error itself. */
function throwUnreachable(thrown: unknown): never {
  const error = asKkError(thrown)
  if (error.exit !== 1) throw error
  throw new KkError('KK_UNREACHABLE', redactedMessage(error), {cause: error})
}

/** Redacts secrets, because the API server, or a proxy in front of it, can quote anything. */
function redactedMessage({message}: KkError): string {
  return redactLines(message)
}

interface Expected {
  readonly kubeconfigSecret: string
  /** The identity in the spec. */
  readonly identity?: string | undefined
  /** The identity found at the first connection. */
  readonly pinned: string | undefined
}

/** Throws `KK_WRONG_CLUSTER` for a cluster that is not the one of the Environment. */
function expectIdentity(actual: string, {kubeconfigSecret, identity, pinned}: Expected): void {
  const expected = [identity, pinned].find((each) => each !== undefined && each !== actual)
  if (expected === undefined) return
  throw new KkError(
    'KK_WRONG_CLUSTER',
    `expected the cluster whose kube-system has the UID ${expected}, but the kubeconfig of the Secret ${kubeconfigSecret} connects to ${actual}; nothing was changed`,
    {hint: 'correct the Secret; for another cluster create another Environment'},
  )
}

/**
 * Records in the cluster of the releases that this operator manages an environment, so that the command line
 * does not change it concurrently. Throws `KK_OPERATED` if another operator manages it.
 */
async function claim({metadata}: EnvironmentObject, connection: ClusterConnection): Promise<void> {
  const {name, uid = ''} = metadata
  const {cluster, isOwn} = connection
  const own = managerName(metadata, connection)
  const manager = await cluster.leases.driver(name)
  if (manager !== undefined && manager !== own) {
    throw new KkError('KK_OPERATED', `${name} is managed by ${manager}; nothing was changed`, {
      hint: 'pause one of the two Environments; the claim of a deleted one expires after an hour',
    })
  }
  if (isOwn && manager !== undefined) return
  if (!isOwn && manager === undefined && !(await cluster.live.hasNamespace(KK_NAMESPACE)))
    await cluster.live.makeNamespace(KK_NAMESPACE)
  const owner = {apiVersion: ENVIRONMENTS.apiVersion, kind: ENVIRONMENTS.kind, name, uid}
  const lease = driverLease(name, own, isOwn ? {owner} : {now: cluster.leases.now()})
  await cluster.objects.apply(LEASES, lease, {manager: MANAGER})
}

/** Renewal interval of claims in other clusters, well within their validity of an hour. */
const CLAIM_RENEWAL_MS = 600_000

/**
 * Claims an Environment, does work on it, and renews the claim in the meantime, because it expires in other
 * clusters.
 */
export async function whileClaimed<T>(
  environment: EnvironmentObject,
  connection: ClusterConnection,
  work: () => Promise<T>,
): Promise<T> {
  await claim(environment, connection)
  if (connection.isOwn) return await work()
  let renewal = Promise.resolve()
  const timer = setInterval(() => {
    // The next reconciliation reports the error.
    renewal = claim(environment, connection).catch(() => undefined)
  }, CLAIM_RENEWAL_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await renewal
  }
}

type ManagedEnvironment = Pick<EnvironmentObject['metadata'], 'name' | 'uid'>

/**
 * Returns the name of the manager for messages and for the Lease, in other clusters with the UID of the
 * Environment.
 */
function managerName({uid}: ManagedEnvironment, {isOwn}: Pick<ClusterConnection, 'isOwn'>): string {
  return isOwn ? OWN_OPERATOR : `the operator of another cluster (its Environment is ${uid})`
}

interface ClaimedCluster extends Pick<ClusterConnection, 'isOwn'> {
  readonly cluster: {readonly leases: Leases} & {readonly objects: Pick<Objects, 'delete'>}
}

/** Releases the claim on an environment, so that the command line or another operator can manage it. */
export async function releaseClaim(
  environment: ManagedEnvironment,
  connection: ClaimedCluster,
): Promise<void> {
  const {name} = environment
  const {cluster} = connection
  if ((await cluster.leases.driver(name)) !== managerName(environment, connection)) return
  await cluster.objects.delete(LEASES, {namespace: KK_NAMESPACE, name: driverLeaseName(name)})
}
