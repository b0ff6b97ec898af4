import {createHash, randomBytes} from 'node:crypto'
import {setTimeout as wait} from 'node:timers/promises'
import {KkError} from '../../base/errors.ts'
import {type Environment, namespacesOf} from '../../environment/environment.ts'
import {CRON_JOBS, JOBS, PODS} from '../../kubernetes/api/resources.ts'
import type {Identity} from '../../kubernetes/api/served.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import {type Condition, findCondition, type Pod} from '../../kubernetes/gate/kinds/observed.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import {
  type CloudFacts,
  eventsIn,
  factsIn,
  type Host,
  type Operation,
  type OperationEvent,
} from '../../nodes/facts.ts'

/** The component of the chart nova whose CronJob is the template of Jobs that ask nova, and act in it. */
const SELECTOR = 'app.kubernetes.io/name=nova,app.kubernetes.io/component=instances'

export type InstancePorts = Pick<Cluster, 'objects' | 'live' | 'health'>

/** The CronJob of a release of nova. */
export interface Template {
  readonly namespace: string
  readonly cronJob: string
}

/** Returns the template of an environment; undefined if it runs no nova, or one of an older chart. */
export async function findTemplate(
  {objects}: Pick<Cluster, 'objects'>,
  environment: Environment,
): Promise<Template | undefined> {
  const found = await Promise.all(
    namespacesOf(environment).map((each) =>
      objects.list<{readonly metadata: Identity}>(CRON_JOBS, each, SELECTOR),
    ),
  )
  const templates = found.flatMap((each) => each ?? [])
  if (templates.length > 1) {
    const names = templates.map(({metadata: {namespace, name}}) => `${namespace}/${name}`)
    throw new KkError('KK_AMBIGUOUS', `several releases of nova: ${names.join(', ')}`, {
      hint: 'use an environment file with one of them',
    })
  }
  return templates.map(({metadata: {namespace, name}}) => ({namespace, cronJob: name}))[0]
}

/** As `findTemplate`. Throws `KK_NOT_INSTALLED` if there is none. */
export async function requireTemplate(
  cluster: Pick<Cluster, 'objects'>,
  environment: Environment,
): Promise<Template> {
  const template = await findTemplate(cluster, environment)
  if (template) return template
  throw new KkError('KK_NOT_INSTALLED', `no release of ${environment.name} runs instances`, {
    hint: 'if it has nova, deploy it with the charts of this kk first',
  })
}

export interface Following {
  /** Milliseconds since the epoch. */
  readonly deadline: number
  readonly signal?: AbortSignal | undefined
  /** Receives why the pod does not run yet. */
  readonly onProgress?: ((line: string) => void) | undefined
  readonly onEvent?: ((event: OperationEvent) => void) | undefined
  /** A dead node, on which the pods of Jobs must not run. */
  readonly avoidedNode?: string | undefined
}

/** Asks nova, Placement and neutron in a Job, which is deleted afterwards. */
export async function readFacts(
  cluster: InstancePorts,
  template: Template,
  following: Following,
): Promise<CloudFacts> {
  const job = `${template.cronJob}-${randomBytes(5).toString('hex')}`
  const {avoidedNode} = following
  const created = await cluster.live.createJobOf({...template, job, variables: {}, avoidedNode})
  try {
    return factsIn(await follow(cluster, created, following))
  } finally {
    await remove(cluster, created)
  }
}

/** As `enabledFacts`, when a Job that acts on the node has ended. */
export async function settledFacts(
  cluster: InstancePorts,
  template: Template,
  following: Following & {readonly node: string},
): Promise<CloudFacts> {
  await followUnfinished(cluster, template, following)
  return enabledFacts(cluster, template, following)
}

/**
 * As `readFacts`, once nova has enabled the hosts that it has disabled itself because libvirt was away: it
 * does so within a minute after libvirt is back. Those of which it does not are disabled.
 */
export async function enabledFacts(
  cluster: InstancePorts,
  template: Template,
  {onEvent: _, ...following}: Following,
): Promise<CloudFacts> {
  let facts = await readFacts(cluster, template, following)
  const deadline = Math.min(following.deadline, Date.now() + SELF_DISABLED_MS)
  const areEnabled = async () => {
    const waiting = facts.hosts.filter(isDisabledByNova)
    if (waiting.length === 0) return true
    const names = waiting.map(({name}) => name).join(', ')
    following.onProgress?.(`waiting for nova to enable ${names}, which it has disabled itself`)
    facts = await readFacts(cluster, template, following)
    return !facts.hosts.some(isDisabledByNova)
  }
  await pollCluster(areEnabled, {interval: 5_000, deadline, signal: following.signal})
  return facts
}

/**
 * Its periodic task runs each minute (nova: `update_resources_interval`), and the driver enables the host in
 * it.
 */
const SELF_DISABLED_MS = 120_000

function isDisabledByNova({isUp, isEnabled, reason}: Host): boolean {
  return isUp && !isEnabled && reason.startsWith('AUTO:')
}

interface Execution extends Following {
  readonly node: string
  readonly operations: readonly Operation[]
  /** How many instances move at once. */
  readonly concurrency: number
}

/**
 * Executes operations in the Job of a node; one that does so already ends first. Returns how each has ended,
 * as failed if the Job does not report it.
 */
export async function execute(
  cluster: InstancePorts,
  template: Template,
  {node, operations, concurrency, ...following}: Execution,
): Promise<readonly OperationEvent[]> {
  await followUnfinished(cluster, template, {node, ...following})
  const seconds = Math.max(1, Math.round((following.deadline - Date.now()) / 1000))
  const created = await cluster.live.createJobOf({
    ...template,
    job: jobName(template, node),
    avoidedNode: following.avoidedNode,
    variables: {
      OPERATIONS: JSON.stringify(
        operations.map(({do: way, host, server, keepsChassis}) => ({do: way, host, server, keepsChassis})),
      ),
      CONCURRENCY: String(concurrency),
      SECONDS: String(seconds),
    },
  })
  const events = eventsIn(await follow(cluster, created, following))
  await remove(cluster, created)
  return operations.map(({do: way, host, server}) => {
    const end = events.findLast(
      (each) => each.do === way && each.server === server && each.event !== 'started',
    )
    return (
      end ?? {do: way, host, ...(server && {server}), event: 'failed', result: 'not begun, or not reported'}
    )
  })
}

/** Ends the Job that acts on a node, if there is one: instances on their way arrive, and no others start. */
export async function cancelOperations(
  cluster: InstancePorts,
  environment: Environment,
  node: string,
): Promise<void> {
  const template = await findTemplate(cluster, environment)
  const job = template && (await readJob(cluster, template, node))
  if (job) await remove(cluster, job)
}

/** Returns the name of the Job of a node: a later kk finds it by the node, also after kk was killed. */
function jobName({cronJob}: Template, node: string): string {
  return `${cronJob}-${createHash('sha256').update(node).digest('hex').slice(0, 8)}`
}

type LiveJob = KubernetesObject & {
  readonly metadata: Identity
  readonly status?: {readonly conditions?: readonly Condition[]}
}

/**
 * Follows the Job that acts on a node to its end, if there is one, and deletes it.
 */
async function followUnfinished(
  cluster: InstancePorts,
  template: Template,
  {node, ...following}: Following & {readonly node: string},
): Promise<void> {
  const job = await readJob(cluster, template, node)
  if (!job) return
  const hasEnded = ['Complete', 'Failed'].some((type) => findCondition(job, type)?.status === 'True')
  if (!hasEnded) await follow(cluster, job, following)
  await remove(cluster, job)
}

/** Reads the Job that acts on a node. */
async function readJob(
  {objects}: Pick<InstancePorts, 'objects'>,
  template: Template,
  node: string,
): Promise<LiveJob | undefined> {
  const place = {namespace: template.namespace, name: jobName(template, node)}
  const job = await objects.read<LiveJob>(JOBS, place)
  return job && {...job, apiVersion: 'batch/v1', kind: 'Job'}
}

/** Resolves with the log of a Job when it has completed. */
async function follow(
  {objects, health}: InstancePorts,
  job: KubernetesObject,
  {deadline, signal, onProgress, onEvent}: Following,
): Promise<readonly string[]> {
  const {name, namespace = ''} = job.metadata
  let reported = 0
  const quietUntil = Date.now() + QUIET_MS
  const read = async () => {
    const log = await jobLog({objects, health}, namespace, name)
    // A new pod of the Job begins a new log.
    const events = eventsIn(log)
    for (const event of events.slice(Math.min(reported, events.length))) onEvent?.(event)
    reported = events.length
    return log
  }
  const readPatiently = async () => (await pollCluster(read, {interval: POLL_MS, deadline, signal})) ?? []
  let isOver = false
  const over = health
    .gate({
      ...{namespace, objects: [job], deadline, ...(signal && {signal})},
      onProgress: ([first]) => {
        if (first && Date.now() > quietUntil) onProgress?.(describeCause(first))
      },
    })
    .finally(() => {
      isOver = true
    })
  // The loop awaits it, and throws its error, after the log has been read.
  over.catch(() => undefined)
  while (!isOver) {
    await Promise.race([over.catch(() => undefined), wait(POLL_MS)])
    await readPatiently()
  }
  await over
  return readPatiently()
}

const POLL_MS = 1000
/** Why the pod of a Job does not run is reported after this time: most start within seconds. */
const QUIET_MS = 10_000

async function jobLog(
  {objects, health}: Pick<InstancePorts, 'objects' | 'health'>,
  namespace: string,
  job: string,
): Promise<readonly string[]> {
  const pods = (await objects.list<Pod>(PODS, namespace, `batch.kubernetes.io/job-name=${job}`)) ?? []
  const [newest] = pods.toSorted((one, other) =>
    String(other.metadata.creationTimestamp).localeCompare(String(one.metadata.creationTimestamp)),
  )
  const container = newest?.spec?.containers?.[0]?.name
  if (!newest || container === undefined) return []
  return health.log(namespace, newest.metadata.name, container).catch(() => [])
}

async function remove({live}: InstancePorts, job: KubernetesObject): Promise<void> {
  const {name, namespace = '', uid} = job.metadata as Identity
  await live.delete({apiVersion: 'batch/v1', kind: 'Job', namespace, name, uid})
}
