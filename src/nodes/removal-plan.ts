import type {CloudFacts, Host} from './facts.ts'

type Labels = Readonly<Record<string, string>>

/** A workload of the charts. */
export interface Workload {
  readonly kind: string
  readonly chart: string
  readonly component: string
  /** The labels of the nodes on which its pods may run. */
  readonly selector: Labels
}

/** A pod on a node, or one that can only run there. */
export interface ResidentPod {
  /** As `namespace/name`. */
  readonly name: string
  /** The kind of its controller. */
  readonly controller: string | undefined
  readonly selector: Labels
  /** Whether it is in a namespace of the environment. */
  readonly isOurs: boolean
  readonly isBeingDeleted: boolean
}

/** A claim whose volume is on a node, and on no other. */
export interface ResidentClaim {
  /** As `namespace/name`. */
  readonly name: string
  /** The pod that mounts it, as `namespace/name`. */
  readonly pod: string | undefined
  /** The labels of the nodes on which this pod may run; none without a pod. */
  readonly selector: Labels
}

/** A disk of Ceph. */
export interface Osd {
  readonly id: number
  /** Its pod, as `namespace/name`. */
  readonly pod?: string
}

/** The osds of a node, and whether the others can have their data. */
export interface NodeOsds {
  readonly osds: readonly Osd[]
  /** How many other nodes have an osd that serves. */
  readonly otherNodes: number
  /** The largest number of copies of a pool, each of which is on another node. */
  readonly copies: number
}

/** A chassis of OVN. */
export interface Chassis {
  readonly name: string
  /** What neutron's agents of the node report there. */
  readonly agents: Labels
}

/** A node that is to be removed, as Kubernetes, OVN and Ceph know it. */
export interface RemovedNode {
  readonly node: string
  /** Undefined if Kubernetes no longer has the node. */
  readonly labels: Labels | undefined
  /** Whether its kubelet reports, so that pods end when their labels are gone. */
  readonly reports: boolean
  readonly workloads: readonly Workload[]
  readonly pods: readonly ResidentPod[]
  readonly claims: readonly ResidentClaim[]
  readonly chassis: readonly Chassis[]
  /** The ports of routers whose gateway it is. */
  readonly gateways: readonly string[]
  /** Undefined without Ceph in the environment. */
  readonly ceph: NodeOsds | undefined
}

/** How a node leaves the cloud. */
export interface RemovalPlan {
  readonly node: string
  /** The labels to remove. */
  readonly labels: readonly string[]
  /** The labels by which charts select nodes and that it keeps. */
  readonly keeps: readonly string[]
  /** The pods of DaemonSets that end without these labels; those of a silent kubelet end later. */
  readonly ends: readonly string[]
  /** The osds whose data Ceph moves elsewhere, before their pods and claims are deleted. */
  readonly osds: readonly Osd[]
  /** The claims of these osds, as `namespace/name`. */
  readonly claims: readonly string[]
  /** Whether it is deleted as a host of nova, with its resource provider. */
  readonly removesHost: boolean
  /** Whether it stays a chassis of OVN. */
  readonly keepsChassis: boolean
  /** The chassis of OVN to delete, or those that stay and lose the agents of neutron. */
  readonly chassis: readonly Chassis[]
  /** What still lives there, and how it leaves; nothing is removed then. */
  readonly residents: readonly string[]
}

/**
 * The labels by which the charts select nodes, without those of Kubernetes itself, which others rely on.
 */
export function nodeLabels(workloads: readonly Workload[]): readonly string[] {
  const all = workloads.flatMap(({chart, selector}) => (chart === '' ? [] : Object.keys(selector)))
  return [...new Set(all)].filter((label) => !KUBERNETES_LABEL.test(label)).sort()
}

/** Returns the labels that a node with these labels lacks for the workloads. */
export function missingLabels(workloads: readonly Workload[], has: Labels): Labels {
  const ofCharts = nodeLabels(workloads)
  const needed = workloads.flatMap(({selector}) => Object.entries(selector))
  return Object.fromEntries(needed.filter(([key, value]) => ofCharts.includes(key) && has[key] !== value))
}

const KUBERNETES_LABEL = /(^|\.)(kubernetes|k8s)\.io\//

/**
 * Plans how a node leaves the cloud; pure. `only` are the labels to remove, by default all by which the
 * charts select nodes. What the other labels keep there stays. `facts` are undefined without nova.
 */
export function planRemoval(
  seen: RemovedNode,
  {facts, only}: {readonly facts: CloudFacts | undefined; readonly only: readonly string[] | undefined},
): RemovalPlan {
  const {node, labels = {}, reports, workloads, pods} = seen
  const known = nodeLabels(workloads)
  const chosen = only ?? known
  const gone = chosen.filter((label) =>
    workloads.some(({selector}) => selector[label] === labels[label] && label in selector && label in labels),
  )
  const left = Object.fromEntries(Object.entries(labels).filter(([label]) => !gone.includes(label)))
  const stays = (chart: string, component?: string) =>
    workloads.some((each) => {
      const isChosen = each.chart === chart && (component === undefined || each.component === component)
      return isChosen && each.kind === 'DaemonSet' && isMet(each.selector, left)
    })
  const isLeaving = (selector: Labels) => Object.keys(selector).some((label) => chosen.includes(label))
  const leaving = pods.filter(({selector}) => isLeaving(selector))
  const osds = osdsOf(seen, isLeaving)
  const podsOfOsds = new Set(osds.map(({pod}) => pod))
  // A claim without a pod belongs to a workload that was scaled down, and none of its labels is known.
  const claims = seen.claims.filter(({pod, selector}) =>
    pod === undefined || Object.keys(selector).length === 0 ? only === undefined : isLeaving(selector),
  )
  const keepsChassis = stays('ovn', 'controller')
  const removesHost = facts !== undefined && !stays('nova', 'compute') && isKnown(facts, node, keepsChassis)
  const agentsLeave = !stays('neutron')
  const residents = [
    ...(removesHost ? onHost(facts, node, reports) : []),
    // Neutron moves those of a silent chassis.
    ...(keepsChassis || !reports
      ? []
      : seen.gateways.map((port) => `the gateway ${port} is here: kk node drain moves it`)),
    ...(osds.length > 0 ? withoutPlace(seen.ceph!, osds) : []),
    ...leaving.flatMap((pod) => (podsOfOsds.has(pod.name) ? [] : whyPodStays(pod, reports))),
    ...claims
      .filter(({pod}) => !podsOfOsds.has(pod))
      .map(
        ({name, pod}) => `the volume of claim ${name} is here${pod === undefined ? '' : `, of pod ${pod}`}`,
      ),
  ]
  return {
    ...{node, labels: gone, keeps: known.filter((label) => label in left), residents},
    ...{osds, removesHost, keepsChassis},
    claims: claims.filter(({pod}) => podsOfOsds.has(pod)).map(({name}) => name),
    chassis: keepsChassis
      ? seen.chassis.filter(({agents}) => agentsLeave && Object.keys(agents).length > 0)
      : seen.chassis,
    ends: leaving
      .filter(({controller, isOurs}) => reports && isOurs && controller === 'DaemonSet')
      .map(({name}) => name),
  }
}

function isMet(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}

/** Returns the osds that leave: those of pods that do, and those whose pod has another disk by now. */
function osdsOf({ceph, pods, claims}: RemovedNode, isLeaving: (selector: Labels) => boolean): readonly Osd[] {
  return (ceph?.osds ?? []).flatMap(({id, pod}): readonly Osd[] => {
    // The pod of a drained node waits for it, with its claim there.
    const own = pods.find(({name}) => name === pod) ?? claims.find((claim) => claim.pod === pod)
    if (pod === undefined || !own) return [{id}]
    return isLeaving(own.selector) ? [{id, pod}] : []
  })
}

/** Returns why the data of osds has no place elsewhere. */
function withoutPlace({otherNodes, copies}: NodeOsds, osds: readonly Osd[]): readonly string[] {
  if (copies <= otherNodes) return []
  const names = osds.map(({id}) => `osd.${id}`).join(', ')
  return [
    `${names} must stay: Ceph keeps ${copies} copies on a node each, and ${otherNodes} other nodes have osds`,
  ]
}

function whyPodStays(
  {name, controller, isOurs, isBeingDeleted}: ResidentPod,
  reports: boolean,
): readonly string[] {
  if (!isOurs) return [`pod ${name} of others runs here by one of these labels`]
  if (controller === 'DaemonSet' || (isBeingDeleted && !reports)) return []
  return [`pod ${name} runs here: kk node drain evicts it`]
}

/** Whether nova, Placement or neutron knows a host. */
export function isKnown(
  {hosts, agents = [], providers = []}: CloudFacts,
  node: string,
  keepsChassis: boolean,
): boolean {
  return (
    hosts.some(({name}) => name === node) ||
    (!keepsChassis && agents.some(({hosts: names}) => names.includes(node))) ||
    providers.some((name) => name === node || name.startsWith(`${node}.`))
  )
}

/** Returns what keeps nova's host in use. */
function onHost(facts: CloudFacts, node: string, reports: boolean): readonly string[] {
  const host = facts.hosts.find(({name}) => name === node)
  const own = facts.servers.filter((server) => server.host === node)
  const moving = (facts.moving ?? []).filter(({source, target}) => [source, target].includes(node))
  return [
    ...own.map(({name, id, project, user, tags}) => {
      const how = tags.includes('kk:stopped')
        ? 'kk node drain has stopped it: move it, and remove its tag kk:stopped and start it there'
        : reports
          ? 'move or delete it'
          : 'kk node evacuate starts it elsewhere'
      return `instance ${name} (${id}; project ${project}, user ${user}) is here: ${how}`
    }),
    ...moving
      .filter(({server}) => !own.some(({id}) => id === server))
      .map(
        ({server, status}) =>
          `a migration of instance ${server} from or to here is ${status}: confirm or revert it`,
      ),
    ...(host ? whyHostStays(host, reports) : []),
  ]
}

function whyHostStays({isUp, isEnabled, isForcedDown}: Host, reports: boolean): readonly string[] {
  if (isForcedDown && reports)
    return [
      'it was evacuated: kk node return first deletes what is left there of instances that run elsewhere',
    ]
  if (isUp && !isForcedDown && !reports)
    return ['its nova-compute reports to nova although its kubelet is silent: switch it off']
  return isEnabled && reports ? ['nova starts instances here: kk node drain ends that'] : []
}
