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

/** What works on the cluster that has the releases of an Environment. */
export interface OperatorPorts {
  readonly cluster: Cluster
  readonly helm: Helm
  /** Reads an environment file and prepares it with the overrides and the secrets that the cluster keeps. */
  readonly open: (name: string, source: SourceText) => Promise<Supplied>
}

/** A look at the releases of one target: it downloads each record once, however often it is read. */
export interface StatusSnapshot {
  readonly target: string
  readonly read: ReturnType<typeof statusReader>
}

/** The cluster that has the releases of an Environment, and what the operator knows of it while it is connected. */
export interface ClusterConnection extends OperatorPorts {
  /** Whether it is the cluster of the Environments, too. */
  readonly isOwn: boolean
  readonly readUses: UsesReader
  readonly workloads: WorkloadWatcher
  /** The last look at the releases of each Environment. */
  readonly snapshots: Map<string, StatusSnapshot>
  /** The target at which another process has ended helm, of each Environment: it is tried once more. */
  readonly killed: Map<string, string>
}

/** The way of one pass to the site of its Environment. */
export interface ConnectionAttempt {
  /**
   * Resolves with the site once it has said that it is the cluster of the Environment. Throws `KK_FILE` and `KK_KUBECONFIG`
   * for a Secret that cannot be used, `KK_UNREACHABLE`, and `KK_WRONG_CLUSTER`.
   */
  connect(): Promise<ClusterConnection>
  /** Takes note that it does not answer any more. */
  markUnreachable(error: KkError): void
  /** The condition `Reachable`; undefined for the own cluster, and where nobody has tried. */
  condition(): ConditionInput | undefined
}

/** The clusters of all Environments. */
export interface ClusterConnections {
  /** `pin` is told of the cluster that is found first: no other one is taken for it later. */
  forEnvironment(environment: EnvironmentObject, pin: (identity: string) => Promise<void>): ConnectionAttempt
  /** Does work on an Environment when its cluster has room for it: one that does not answer holds up itself alone. */
  runLimited<T>(environment: EnvironmentObject, work: () => Promise<T>): Promise<T>
  /** Takes leave of the site of an Environment that is gone. */
  forget(environment: string): Promise<void>
  close(): Promise<void>
}

interface ClusterConnectionsOptions {
  readonly hub: Pick<Objects, 'read'>
  /** The own cluster. */
  readonly own: OperatorPorts
  /** Opens another one. */
  readonly connect: (kubeconfig: string, context: string) => Promise<OperatorPorts>
  readonly signal: AbortSignal
  /** Told of Environments of whose releases something has changed. */
  readonly enqueue: (environment: string) => void
}

/** The key of the Secret, unless the Environment says otherwise. */
const KUBECONFIG_KEY = 'kubeconfig'
/** So many Environments of one other cluster are passed over at once. */
const MAX_RECONCILES_PER_CLUSTER = 4

interface OpenConnection {
  readonly connection: ClusterConnection
  readonly text: string
  readonly context: string | undefined
  /** Of the Environment. */
  readonly uid: string | undefined
  /** Whether it has said that it is the cluster of the Environment. */
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
    const known = connections.get(name)
    connections.delete(name)
    await known?.close()
  }

  /** The kubeconfig is read anew, for its tokens run out; what is open stays open while it is the same. */
  async function openConnection({metadata: {name, uid}, spec}: EnvironmentObject): Promise<OpenConnection> {
    const {kubeconfigSecret: secret, key = KUBECONFIG_KEY, context} = spec.cluster!
    const text = await secretText(hub, secret, key)
    const known = connections.get(name)
    if (known?.text === text && known.context === context && known.uid === uid) return known
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
      let found: ConditionInput | undefined
      if (!cluster)
        return {
          connect: async () => ownConnection,
          markUnreachable: () => undefined,
          condition: () => undefined,
        }
      const markUnreachable = (error: KkError) => {
        found = {type: 'Reachable', status: 'False', reason: error.code, message: redactedMessage(error)}
      }
      return {
        async connect() {
          const open = await openConnection(environment)
          const {connection} = open
          open.isVerified = false
          const asked = Promise.all([
            connection.cluster.apiServer.identity(),
            connection.cluster.apiServer.expectReady(),
          ])
          const identity = await asked.then(([{uid}]) => uid, throwUnreachable)
          const pinned = environment.status?.cluster?.identity
          expectIdentity(identity, {...cluster, pinned})
          if (pinned === undefined) await pin(identity)
          open.isVerified = true
          found = {type: 'Reachable', status: 'True', reason: 'Answers', message: 'its API server answers'}
          return connection
        },
        markUnreachable,
        condition: () => found,
      }
    },
    async runLimited({spec: {cluster}}, work) {
      if (!cluster) return await work()
      const limit = limiters.get(cluster.kubeconfigSecret) ?? limiter(MAX_RECONCILES_PER_CLUSTER)
      limiters.set(cluster.kubeconfigSecret, limit)
      return await limit(work)
    },
    async forget(name) {
      const known = connections.get(name)
      // What it owns may stay: who deletes it may say so, and the garbage collector may not have seen it go.
      if (!known) return await releaseClaim({name}, ownConnection)
      // It runs out by itself where it cannot be taken back.
      if (known.isVerified)
        await releaseClaim({name, uid: known.uid}, known.connection).catch(() => undefined)
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
    killed: new Map(),
  }
}

/** Throws what keeps a cluster from saying which one it is. */
function throwUnreachable(thrown: unknown): never {
  const error = asKkError(thrown)
  if (error.exit !== 1) throw error
  throw new KkError('KK_UNREACHABLE', redactedMessage(error), {cause: error})
}

/** The API server, or what stands before it, may quote anything. */
function redactedMessage({message}: KkError): string {
  return redactLines(message)
}

interface Expected {
  readonly kubeconfigSecret: string
  /** As the Environment states it. */
  readonly identity?: string | undefined
  /** As it was found first. */
  readonly pinned: string | undefined
}

/** Throws `KK_WRONG_CLUSTER` for a cluster that is not the one of the Environment. */
function expectIdentity(found: string, {kubeconfigSecret, identity, pinned}: Expected): void {
  const expected = [identity, pinned].find((each) => each !== undefined && each !== found)
  if (expected === undefined) return
  throw new KkError(
    'KK_WRONG_CLUSTER',
    `expected the cluster whose kube-system has the UID ${expected}, but the kubeconfig of the Secret ${kubeconfigSecret} leads to ${found}; nothing was changed`,
    {hint: 'correct the Secret; for another cluster make another Environment'},
  )
}

/**
 * Says in the cluster of the releases who drives an environment, so that no command line changes it beside. Throws
 * `KK_OPERATED` where another operator drives it.
 */
async function claim({metadata}: EnvironmentObject, connection: ClusterConnection): Promise<void> {
  const {name, uid = ''} = metadata
  const {cluster, isOwn} = connection
  const me = managerName(metadata, connection)
  const driver = await cluster.leases.driver(name)
  if (driver !== undefined && driver !== me) {
    throw new KkError('KK_OPERATED', `${name} is driven by ${driver}; nothing was changed`, {
      hint: 'pause one of both Environments; one that is gone counts for an hour',
    })
  }
  if (isOwn && driver !== undefined) return
  if (!isOwn && driver === undefined && !(await cluster.live.hasNamespace(KK_NAMESPACE)))
    await cluster.live.makeNamespace(KK_NAMESPACE)
  const owner = {apiVersion: ENVIRONMENTS.apiVersion, kind: ENVIRONMENTS.kind, name, uid}
  const lease = driverLease(name, me, isOwn ? {owner} : {now: cluster.leases.now()})
  await cluster.objects.apply(LEASES, lease, {manager: MANAGER})
}

/** Well within the time after which nobody drives in another cluster any more; in milliseconds. */
const CLAIM_RENEWAL_MS = 600_000

/** Does work on an Environment that is claimed, and claims it again and again meanwhile: in another cluster that runs out. */
export async function whileClaimed<T>(
  environment: EnvironmentObject,
  connection: ClusterConnection,
  work: () => Promise<T>,
): Promise<T> {
  await claim(environment, connection)
  if (connection.isOwn) return await work()
  let renewal = Promise.resolve()
  const timer = setInterval(() => {
    // The next pass tells what stands in the way of it.
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

/** Who drives an environment, for messages and on its Lease: of Environments in other clusters, each is somebody else. */
function managerName({uid}: ManagedEnvironment, {isOwn}: Pick<ClusterConnection, 'isOwn'>): string {
  return isOwn ? OWN_OPERATOR : `the operator of another cluster (its Environment is ${uid})`
}

interface ClaimedCluster extends Pick<ClusterConnection, 'isOwn'> {
  readonly cluster: {readonly leases: Leases} & {readonly objects: Pick<Objects, 'delete'>}
}

/** Lets the command line, or another operator, drive an environment. */
export async function releaseClaim(
  environment: ManagedEnvironment,
  connection: ClaimedCluster,
): Promise<void> {
  const {name} = environment
  const {cluster} = connection
  if ((await cluster.leases.driver(name)) !== managerName(environment, connection)) return
  await cluster.objects.delete(LEASES, {namespace: KK_NAMESPACE, name: driverLeaseName(name)})
}
