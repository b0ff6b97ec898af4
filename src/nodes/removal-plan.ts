import type {CloudFacts} from './facts.ts'

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
  /** Its claims of volumes on the node. */
  readonly claims: readonly string[]
}

/** A node that is to be removed, as Kubernetes and OVN know it. */
export interface RemovedNode {
  readonly node: string
  /** Undefined if Kubernetes no longer has the node. */
  readonly labels: Labels | undefined
  /** Whether its kubelet reports, so that pods end when their labels are gone. */
  readonly reports: boolean
  readonly workloads: readonly Workload[]
  readonly pods: readonly ResidentPod[]
  /** The names of its chassis in OVN. */
  readonly chassis: readonly string[]
  /** The ports of routers whose gateway it is. */
  readonly gateways: readonly string[]
}

/** How a node leaves the cloud. */
export interface RemovalPlan {
  readonly node: string
  /** The labels to remove. */
  readonly labels: readonly string[]
  /** The pods of DaemonSets that end without these labels; those of a silent kubelet end later. */
  readonly ends: readonly string[]
  /** The chassis of OVN to delete. */
  readonly chassis: readonly string[]
  /** Whether it is deleted as a host of nova, with its resource provider and its agents. */
  readonly removesHost: boolean
  /** What still lives there, and how it leaves; nothing is removed then. */
  readonly residents: readonly string[]
}

/** The labels by which the charts select nodes. */
export function nodeLabels(workloads: readonly Workload[]): readonly string[] {
  return [...new Set(workloads.flatMap(({selector}) => Object.keys(selector)))].sort()
}

/**
 * Plans how a node leaves the cloud; pure. `only` are the labels to remove, by default all by which the
 * charts select nodes. What the other labels keep there stays.
 */
export function planRemoval(
  seen: RemovedNode,
  {facts, only}: {readonly facts: CloudFacts | undefined; readonly only: readonly string[] | undefined},
): RemovalPlan {
  const {node, labels = {}, reports, workloads, pods} = seen
  const chosen = only ?? nodeLabels(workloads)
  const gone = chosen.filter((label) => label in labels)
  const left = Object.fromEntries(Object.entries(labels).filter(([label]) => !gone.includes(label)))
  const staysFor = (selector: Labels) => Object.entries(selector).every(([key, value]) => left[key] === value)
  const stays = (chart: string, component: string) =>
    workloads.some((each) => each.chart === chart && each.component === component && staysFor(each.selector))
  const leaving = pods.filter(({selector}) => Object.keys(selector).some((label) => chosen.includes(label)))
  const isHost = facts?.hosts.some(({name}) => name === node) ?? false
  const removesHost = isHost && !stays('nova', 'compute')
  const removesChassis = !stays('ovn', 'controller')
  const residents = [
    ...(removesHost ? onHost(facts!, node, reports) : []),
    ...(removesChassis
      ? seen.gateways.map((port) => `the gateway ${port} is here: kk node drain moves it`)
      : []),
    ...leaving
      .filter(({controller, claims}) => controller !== 'DaemonSet' || claims.length > 0)
      .map(({name, claims}) =>
        claims.length > 0
          ? `pod ${name} has its volume here: ${claims.join(', ')}`
          : `pod ${name} runs here: kk node drain evicts it`,
      ),
  ]
  return {
    ...{node, labels: gone, chassis: removesChassis ? seen.chassis : [], removesHost, residents},
    ends: leaving.filter(({controller}) => reports && controller === 'DaemonSet').map(({name}) => name),
  }
}

/** Returns what keeps nova's host in use. */
function onHost({hosts, servers}: CloudFacts, node: string, reports: boolean): readonly string[] {
  const host = hosts.find(({name}) => name === node)!
  const own = servers.filter((server) => server.host === node)
  return [
    ...own.map(({name, id, project, user}) => {
      const how = reports ? 'move or delete it' : 'kk node evacuate starts it elsewhere'
      return `instance ${name} (${id}; project ${project}, user ${user}) is here: ${how}`
    }),
    ...(host.isEnabled ? ['nova starts instances here: kk node drain ends that'] : []),
    ...(host.isUp && !host.isForcedDown && !reports
      ? ['its nova-compute reports to nova although its kubelet is silent: switch it off']
      : []),
  ]
}
