import {podsFor} from '../../audit/gather.ts'
import {NOVA_MANAGE} from '../../audit/repairs.ts'
import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {hindrances} from '../../doctor/cluster/scheduling.ts'
import {NODES, PODS} from '../../kubernetes/api/resources.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Pod} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import type {Host} from '../../nodes/facts.ts'
import {missingLabels} from '../../nodes/removal-plan.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {readFacts, requireTemplate, type Template} from './instances.ts'
import {awaitHealthy, podsOf, readNode} from './kubernetes-node.ts'
import {type LiveWorkload, readWorkloads} from './workloads.ts'

type AddPorts = DrainPorts & Pick<Cluster, 'diagnosis'>

/** How a node becomes a hypervisor. */
export interface AddPlan {
  readonly node: string
  /** The labels to set. */
  readonly labels: Readonly<Record<string, string>>
  /** The components that run there then, as `chart component`. */
  readonly starts: readonly string[]
  /** What the node lacks; it is not added then. */
  readonly lacks: readonly string[]
}

/** The charts whose DaemonSets are what instances need on their node. */
const CHARTS = ['openvswitch', 'ovn', 'libvirt', 'neutron', 'nova']

/** Plans how a node becomes a hypervisor. Throws `KK_NO_NODE`, and `KK_NOT_INSTALLED` without nova. */
export async function planAdd(cluster: AddPorts, {environment, node: name}: DrainOptions): Promise<AddPlan> {
  const node = await readNode(cluster, name)
  await requireTemplate(cluster, environment)
  const [seen, components] = await Promise.all([
    cluster.diagnosis.nodes(),
    hypervisorComponents(cluster, environment),
  ])
  const sets = [...components.values()].flat()
  const has = node.metadata.labels ?? {}
  const labels = missingLabels(sets, has)
  const schedulable = seen.find((each) => each.name === name)
  const labelled = schedulable && {...schedulable, labels: {...has, ...labels}}
  const lacks = [...components].flatMap(([component, own]) => {
    const why = own.map(({object}) =>
      labelled ? hindrances(labelled, {...object, apiVersion: 'apps/v1', kind: 'DaemonSet'}) : [],
    )
    // Of the DaemonSets of groups of nodes, one suffices.
    return why.some((each) => each.length === 0) ? [] : why[0]!.map((each) => `${name} ${each}: ${component}`)
  })
  const away = awayNode(node)?.reason
  return {
    node: name,
    labels,
    starts: [...components.keys()],
    lacks: [...(away === undefined ? [] : [AWAY[away]]), ...lacks],
  }
}

const AWAY = {
  NotReady: 'its kubelet does not report: kubectl describe node shows why',
  Cordoned: 'it is cordoned: kk node return or kubectl uncordon makes it schedulable',
  BeingDeleted: 'it is being deleted',
} as const

/** Returns the DaemonSets that instances need, by component. */
async function hypervisorComponents(
  cluster: Pick<Cluster, 'objects'>,
  environment: DrainOptions['environment'],
): Promise<ReadonlyMap<string, readonly LiveWorkload[]>> {
  const all = await readWorkloads(cluster, environment)
  const sets = all.filter(({kind, chart}) => kind === 'DaemonSet' && CHARTS.includes(chart))
  return Map.groupBy(sets, componentOf)
}

function componentOf({chart, component}: {readonly chart: string; readonly component: string}): string {
  return `${chart} ${component}`
}

/** Throws `KK_NODE_LACKS` if the node lacks something. */
export function refuseIfLacking({node, lacks}: AddPlan): void {
  if (lacks.length === 0) return
  throw new KkError('KK_NODE_LACKS', `${node} cannot be a hypervisor: ${lacks.join('; ')}`)
}

/** The result of an addition. */
export interface Added {
  readonly node: string
  /** Whether nova starts instances there. */
  readonly takesInstances: boolean
  /** Why not. */
  readonly why?: string
  /** The host, as nova and Placement know it. */
  readonly host?: Host
  readonly seconds: number
}

/**
 * Makes a node a hypervisor, and waits until nova can start instances there. Idempotent. Throws
 * `KK_NODE_LACKS`, and `KK_UNHEALTHY` at the deadline.
 */
export async function add(
  cluster: AddPorts,
  {plan, ...options}: DrainOptions & {readonly plan: AddPlan},
): Promise<Added> {
  const {environment, node, deadline, signal, onProgress} = options
  refuseIfLacking(plan)
  const template = await requireTemplate(cluster, environment)
  const began = Date.now()
  if (Object.keys(plan.labels).length > 0) {
    await cluster.objects.merge(NODES, {namespace: '', name: node}, {metadata: {labels: plan.labels}})
    onProgress(`${node} has the labels ${labelsText(plan.labels)}`)
  }
  await podsReady(cluster, plan, options)
  let host: Host | undefined
  let tries = 0
  await pollCluster(
    async () => {
      host = await readHost(cluster, template, options)
      if (host?.isUp && !hasRoom(host)) await discover(cluster, tries++, options)
      return host?.isUp && hasRoom(host)
    },
    {interval: 1_000, deadline, signal},
  )
  const why = whyNot(host)
  const seconds = Math.round((Date.now() - began) / 1000)
  return {
    ...{node, takesInstances: why === undefined, seconds},
    ...(why !== undefined && {why}),
    ...(host && {host}),
  }
}

export function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}

/** Placement knows what a host has as soon as the host is mapped to a cell. */
function hasRoom({room}: Host): boolean {
  return (room.VCPU ?? 0) + (room.PCPU ?? 0) > 0
}

function whyNot(host: Host | undefined): string | undefined {
  if (!host) return 'its nova-compute has not reported to nova'
  if (!host.isUp) return 'its nova-compute does not report to nova'
  if (!hasRoom(host)) return 'it is not mapped to a cell, or Placement has no vCPUs of it'
  if (host.isForcedDown) return 'nova takes it for down until kk node return'
  return host.isEnabled ? undefined : `it is disabled in nova: ${host.reason || 'without a reason'}`
}

async function readHost(
  cluster: AddPorts,
  template: Template,
  {node, ...following}: DrainOptions,
): Promise<Host | undefined> {
  const {hosts} = await readFacts(cluster, template, {...following, onEvent: undefined})
  return hosts.find(({name}) => name === node)
}

const DISCOVERY_TIMEOUT_MS = 120_000
/** As many facts take half a minute: the record of a new host exists by then. */
const TRIES_BY_HOST = 4

/**
 * Maps new hosts to their cells at once; nova's scheduler does it once a minute. A host that was deleted
 * before keeps the mark of its first mapping in nova 31.0, and is found only by its service (bug 2085135); by
 * its service alone, a new one would never get the mark.
 */
async function discover(
  {exec}: AddPorts,
  tries: number,
  {environment, onProgress}: DrainOptions,
): Promise<void> {
  const [pod] = podsFor(NOVA_MANAGE, await podsOf(exec, environment))
  if (!pod) return
  const {namespace, name, container} = pod
  if (tries === 0) onProgress('mapping the host to its cell')
  const command = ['nova-manage', 'cell_v2', 'discover_hosts']
  const {code, stderr} = await exec.run({
    ...{namespace, pod: name, container, timeout: DISCOVERY_TIMEOUT_MS},
    command: tries < TRIES_BY_HOST ? command : [...command, '--by-service'],
  })
  // The scheduler does the same: the second of two fails, and has nothing to do.
  if (code !== 0) onProgress(`nova-manage: ${stderr.trim().split('\n').at(-1)}`)
}

/** Resolves when every component has a pod on the node, and these pods are ready. */
async function podsReady(cluster: AddPorts, {starts}: AddPlan, options: DrainOptions): Promise<void> {
  const {environment, node, deadline, signal} = options
  let missing: readonly string[] = []
  const found = await pollCluster(
    async () => {
      const pods = (await podsOf(cluster.exec, environment)).filter((pod) => pod.node === node)
      missing = starts.filter((component) => !pods.some((pod) => componentOf(pod) === component))
      return missing.length === 0 && pods.filter((pod) => starts.includes(componentOf(pod)))
    },
    {interval: 1_000, deadline, signal},
  )
  if (!found) throw new KkError('KK_UNHEALTHY', `${node} has no pods of ${missing.join(', ')}`)
  const byNamespace = Map.groupBy(found, ({namespace}) => namespace)
  await mapParallel([...byNamespace], async ([namespace, own]) => {
    const pods = await mapParallel(own, ({name}) => cluster.objects.read<Pod>(PODS, {namespace, name}))
    const objects = pods.flatMap((pod) => (pod ? [{...pod, apiVersion: 'v1', kind: 'Pod'}] : []))
    await awaitHealthy(cluster, {namespace, objects}, options)
  })
}
