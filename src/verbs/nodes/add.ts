import {podsFor} from '../../audit/gather.ts'
import {NOVA_MANAGE} from '../../audit/repairs.ts'
import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {pollUntil} from '../../base/poll.ts'
import {hindrances} from '../../doctor/cluster/scheduling.ts'
import {NODES} from '../../kubernetes/api/resources.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {describeCause} from '../../kubernetes/gate/cause.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import type {Host} from '../../nodes/facts.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {findTemplate, readFacts, type Template} from './instances.ts'
import {podsOf, readNode} from './kubernetes-node.ts'
import {type LiveWorkload, readWorkloads} from './workloads.ts'

type AddPorts = DrainPorts & Pick<Cluster, 'diagnosis'>

/** How a node becomes a hypervisor. */
export interface AddPlan {
  readonly node: string
  /** The labels to set. */
  readonly labels: Readonly<Record<string, string>>
  /** The DaemonSets that run there then, as `namespace/name`. */
  readonly starts: readonly string[]
  /** What the node lacks; it is not added then. */
  readonly lacks: readonly string[]
}

/** The charts whose DaemonSets are what instances need on their node. */
const CHARTS = ['openvswitch', 'ovn', 'libvirt', 'neutron', 'nova']

/** Plans how a node becomes a hypervisor. Throws `KK_NO_NODE`, and `KK_NOT_INSTALLED` without nova. */
export async function planAdd(cluster: AddPorts, {environment, node: name}: DrainOptions): Promise<AddPlan> {
  const node = await readNode(cluster, name)
  const [seen, daemonSets] = await Promise.all([
    cluster.diagnosis.nodes(),
    hypervisorSets(cluster, environment),
  ])
  const has = node.metadata.labels ?? {}
  const needed = Object.fromEntries(daemonSets.flatMap(({selector}) => Object.entries(selector)))
  const missing = Object.entries(needed).filter(([key, value]) => has[key] !== value)
  const away = awayNode(node)?.reason
  const labelled = seen
    .filter((each) => each.name === name)
    .map((each) => ({...each, labels: {...has, ...needed}}))
  const lacking = daemonSets.flatMap(({object, namespace}) =>
    labelled.flatMap((each) =>
      hindrances(each, {...object, apiVersion: 'apps/v1', kind: 'DaemonSet'}).map(
        (why) => `${name} ${why}: DaemonSet ${namespace}/${object.metadata.name}`,
      ),
    ),
  )
  return {
    node: name,
    labels: Object.fromEntries(missing),
    starts: daemonSets.map(({namespace, object}) => `${namespace}/${object.metadata.name}`),
    lacks: [...(away === undefined ? [] : [AWAY[away]]), ...lacking],
  }
}

const AWAY = {
  NotReady: 'its kubelet does not report: kubectl describe node shows why',
  Cordoned: 'it is cordoned: kk node return or kubectl uncordon makes it schedulable',
  BeingDeleted: 'it is being deleted',
} as const

async function hypervisorSets(
  cluster: Pick<Cluster, 'objects'>,
  environment: DrainOptions['environment'],
): Promise<readonly LiveWorkload[]> {
  const all = await readWorkloads(cluster, environment)
  const sets = all.filter(({kind, chart}) => kind === 'DaemonSet' && CHARTS.includes(chart))
  if (sets.some(({chart}) => chart === 'nova')) return sets
  throw new KkError('KK_NOT_INSTALLED', `no release of ${environment.name} runs instances`)
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
  const began = Date.now()
  if (Object.keys(plan.labels).length > 0) {
    await cluster.objects.merge(NODES, {namespace: '', name: node}, {metadata: {labels: plan.labels}})
    onProgress(`${node} has the labels ${labelsText(plan.labels)}`)
  }
  await healthy(cluster, options)
  const template = await findTemplate(cluster, environment)
  if (!template) throw new KkError('KK_NOT_INSTALLED', `no release of ${environment.name} runs instances`)
  let host: Host | undefined
  await pollUntil(
    async () => {
      host = await readHost(cluster, template, options)
      if (host?.isUp && !hasRoom(host)) await discover(cluster, options)
      return host?.isUp && hasRoom(host)
    },
    {interval: 1_000, deadline, signal},
  )
  const why = whyNot(host)
  const seconds = Math.round((Date.now() - began) / 1000)
  return {
    node,
    takesInstances: why === undefined,
    ...(why !== undefined && {why}),
    ...(host && {host}),
    seconds,
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
  if (!hasRoom(host)) return 'Placement has no vCPUs of it'
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

/** Maps new hosts to their cells at once; nova's scheduler does it once a minute. */
async function discover({exec}: AddPorts, {environment, onProgress}: DrainOptions): Promise<void> {
  const [pod] = podsFor(NOVA_MANAGE, await podsOf(exec, environment))
  if (!pod) return
  const {namespace, name, container} = pod
  onProgress('mapping the host to its cell')
  await exec.run({
    ...{namespace, pod: name, container, timeout: DISCOVERY_TIMEOUT_MS},
    command: ['nova-manage', 'cell_v2', 'discover_hosts', '--by-service'],
  })
}

function componentOf({chart, component}: {readonly chart: string; readonly component: string}): string {
  return `${chart} ${component}`
}

/** Resolves when the DaemonSets have pods on the node, and these are ready. */
async function healthy(
  cluster: AddPorts,
  {environment, node, deadline, signal, onProgress}: DrainOptions,
): Promise<void> {
  const sets = await hypervisorSets(cluster, environment)
  const expected = sets.map(componentOf)
  await pollUntil(
    async () => {
      const pods = await podsOf(cluster.exec, environment)
      const there = new Set(pods.filter((pod) => pod.node === node).map(componentOf))
      return expected.every((component) => there.has(component))
    },
    {interval: 1_000, deadline, signal},
  )
  await mapParallel([...Map.groupBy(sets, ({namespace}) => namespace)], async ([namespace, own]) => {
    await cluster.health.gate({
      ...{namespace, objects: own.map(({object}) => ({...object, apiVersion: 'apps/v1', kind: 'DaemonSet'}))},
      ...{deadline, ...(signal && {signal})},
      onProgress: ([first]) => first && onProgress(describeCause(first)),
    })
  })
}
