import {KkError} from '../../../../src/base/errors.ts'
import type {Environment} from '../../../../src/environment/environment.ts'
import type {Cluster} from '../../../../src/kubernetes/cluster.ts'
import type {Taint} from '../../../../src/kubernetes/diagnosis/diagnosis.ts'
import type {NodePod} from '../../../../src/kubernetes/evictions.ts'
import type {KubernetesObject} from '../../../../src/kubernetes/manifest/kubernetes-object.ts'
import type {CloudFacts, Host, Operation, Server} from '../../../../src/nodes/facts.ts'
import type {DrainPorts} from '../../../../src/verbs/nodes/drain.ts'
import {podOf} from '../../../audit/support/answering-pods.ts'
import {port} from '../../../kubernetes/support/port.ts'

interface FakeNode {
  readonly metadata: {
    readonly name: string
    annotations?: Record<string, string | null>
    labels?: Record<string, string | null>
  }
  spec: {unschedulable?: boolean | null}
  readonly status?: object
}

/** A cluster with nova whose Jobs complete immediately. */
export interface FakeCloud {
  readonly nodes: readonly FakeNode[]
  hosts: Host[]
  servers: Server[]
  pods: NodePod[]
  /** The pods that a budget keeps, with its message. */
  readonly kept: Map<string, string>
  /** The hosts and instances on which nova refuses operations, with the reason. */
  readonly refuse: Map<string, string>
  /** Whether no log of a Job can be read. */
  isLogLost: boolean
  /** The Jobs that exist, with their operations. */
  readonly jobs: Map<string, readonly Operation[]>
  /** The node that each Job avoids. */
  readonly avoided: (string | undefined)[]
  /** The pods whose eviction the API server does not answer, once each. */
  readonly unanswered: Set<string>
  /** All that was done, in order. */
  readonly done: string[]
  /** The DaemonSets of charts; each has a pod on every node that has its labels. */
  readonly agents: readonly FakeAgent[]
  /** The Leases of nodes. */
  readonly leases: readonly object[]
  /** The taints of each node. */
  readonly taints: readonly Taint[]
  /** Neutron's agents, each with the names of its host. */
  neutronAgents: readonly {readonly id: string; readonly hosts: readonly string[]}[]
  /** The migrations of instances that are not over. */
  moving: NonNullable<CloudFacts['moving']>
  /** The osds of Ceph; `moves` is how often one is not yet empty. */
  readonly osds: readonly {
    readonly id: number
    readonly node: string
    moves: number
    isPurged?: boolean
  }[]
  /** The chassis of OVN, by node. */
  readonly chassis: Map<string, string>
}

interface FakeAgent {
  readonly chart: string
  readonly component: string
  readonly label: string
  /** Whether it is a Deployment, not a DaemonSet. */
  readonly isService?: true
  /** The group of nodes that it requires. */
  readonly group?: string
}

export const ENVIRONMENT = {
  name: 'cloud',
  namespace: 'openstack',
  releases: new Map(),
} as unknown as Environment

export function host(name: string, more: Partial<Host> = {}): Host {
  return {
    ...{name, zone: 'nova', isUp: true, isForcedDown: false, isEnabled: true, reason: ''},
    ...{room: {VCPU: 8, MEMORY_MB: 8192}, used: {VCPU: 0, MEMORY_MB: 0}},
    ...more,
  }
}

export function server(name: string, more: Partial<Server> = {}): Server {
  return {
    ...{id: name, name, host: 'a', status: 'ACTIVE', task: null, isLocked: false, tags: []},
    ...{project: 'shop', user: 'ann', zone: null, needs: {VCPU: 1, MEMORY_MB: 1024}},
    ...{localDiskGB: 0, isPinned: false, devices: [], volumes: []},
    ...more,
  }
}

export function fakeCloud(more: Partial<FakeCloud> = {}): FakeCloud {
  const status = {conditions: [{type: 'Ready', status: 'True'}]}
  const nodes = ['a', 'b'].map((name) => ({metadata: {name}, spec: {}, status}))
  return {
    ...{nodes, hosts: [host('a'), host('b')], servers: [], pods: [], kept: new Map()},
    ...{refuse: new Map(), jobs: new Map(), avoided: [], done: [], isLogLost: false},
    ...{
      agents: [],
      neutronAgents: [],
      moving: [],
      osds: [],
      leases: [],
      taints: [],
      chassis: new Map(),
      unanswered: new Set(),
    },
    ...more,
  }
}

/** Does an operation; returns the lines of the program about it. */
function perform(cloud: FakeCloud, operation: Operation): readonly string[] {
  const {do: way, server: id, host: on} = operation
  cloud.done.push(`${way} ${id ?? on}`)
  const refused = cloud.refuse.get(id ?? on)
  const change = (fields: Partial<Server>) => {
    cloud.servers = cloud.servers.map((each) => (each.id === id ? {...each, ...fields} : each))
  }
  const changeHost = (isEnabled: boolean) => {
    cloud.hosts = cloud.hosts.map((each) => (each.name === on ? {...each, isEnabled} : each))
  }
  if (refused === undefined) {
    if (way === 'live' || way === 'cold' || way === 'evacuate') change({host: on === 'b' ? 'a' : 'b'})
    if (way === 'stop') change({status: 'SHUTOFF', tags: ['kk:stopped']})
    if (way === 'start') change({status: 'ACTIVE', tags: []})
    if (way === 'disable' || way === 'enable') changeHost(way === 'enable')
  }
  if (refused === undefined && way === 'remove') {
    cloud.hosts = cloud.hosts.filter(({name}) => name !== on)
    if (!operation.keepsChassis)
      cloud.neutronAgents = cloud.neutronAgents.filter(({hosts}) => !hosts.includes(on))
  }
  const event = refused === undefined ? {event: 'done', result: 'ok'} : {event: 'failed', result: refused}
  return [
    {...operation, event: 'started'},
    {...operation, ...event},
  ].map((line) => JSON.stringify(line))
}

/** Deletes the pods that block a drain, as nova's component drain-blocker does, if no budget keeps them. */
function unblock(cloud: FakeCloud) {
  const going = cloud.pods.filter(({name, blocksDrain}) => blocksDrain && !cloud.kept.has(name))
  if (going.length > 0) cloud.done.push('unblock a')
  cloud.pods = cloud.pods.filter((each) => !going.includes(each))
}

/** A DaemonSet as the cluster has it. */
function agentObject({chart, component, label, group}: FakeAgent) {
  const matchExpressions = [{key: 'group', operator: 'In', values: [group]}]
  const required = {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions}]}}
  return {
    metadata: {
      name: `${chart}-${component}`,
      labels: {'app.kubernetes.io/name': chart, 'app.kubernetes.io/component': component},
    },
    spec: {
      template: {
        spec: {
          nodeSelector: {[label]: 'enabled'},
          containers: [],
          ...(group !== undefined && {affinity: {nodeAffinity: required}}),
        },
      },
    },
  }
}

/** The pods of the DaemonSets. */
function agentPods({nodes, agents}: FakeCloud) {
  return nodes.flatMap(({metadata: {name: node, labels = {}}}) =>
    agents
      .filter(({label}) => labels[label] !== undefined)
      .map(({chart, component, label, isService}) => {
        const pod = podOf(chart, component, {name: `${chart}-${component}-${node}`, node})
        return {...pod, label, isService}
      }),
  )
}

/** A Ceph with an osd on each of three nodes; it moves the data of an osd in two steps. */
function cephAnswer(cloud: FakeCloud, command: readonly string[]) {
  const words = command.slice(5).join(' ')
  cloud.done.pop()
  const osds = cloud.osds.filter(({isPurged}) => !isPurged)
  const answers: Readonly<Record<string, unknown>> = {
    'osd tree --format json': {
      nodes: osds.flatMap(({id, node}) => [
        {id: -1 - id, name: node, type: 'host', children: [id]},
        {id, name: `osd.${id}`, type: 'osd', status: 'up', reweight: 1},
      ]),
    },
    'osd metadata --format json': osds.map(({id}) => ({id, pod_name: `ceph-osd-${id}`})),
    'osd pool ls detail --format json': [{size: 1}, {size: 2}],
  }
  if (words in answers) return {code: 0, stdout: JSON.stringify(answers[words]), stderr: ''}
  cloud.done.push(`ceph ${words}`)
  const own = cloud.osds.find(({id}) => words.includes(`osd.${id}`))
  if (words.startsWith('osd safe-to-destroy') && own!.moves-- > 0)
    return {code: 16, stdout: '', stderr: 'OSD(s) 0 have 9 pgs currently mapped to them.'}
  if (words.startsWith('osd purge')) own!.isPurged = true
  return {code: 0, stdout: '', stderr: ''}
}

export function portsOf(cloud: FakeCloud): DrainPorts & Pick<Cluster, 'diagnosis'> {
  const logs = new Map<string, readonly string[]>()
  const facts = (): CloudFacts => ({
    ...{hosts: cloud.hosts, servers: cloud.servers, apart: [], agents: cloud.neutronAgents},
    ...{providers: cloud.hosts.map(({name}) => name), moving: cloud.moving},
  })
  const job = (name: string) => ({
    ...{apiVersion: 'batch/v1', kind: 'Job'},
    metadata: {name, namespace: 'openstack', uid: `uid-${name}`},
  })
  return {
    objects: port({
      async read<T>({kind}: {readonly kind: string}, {name}: {readonly name: string}) {
        if (kind === 'Node') return cloud.nodes.find(({metadata}) => metadata.name === name) as T | undefined
        if (kind === 'Pod') return {metadata: {name}} as T
        return cloud.jobs.has(name) ? (job(name) as T) : undefined
      },
      async list<T>({kind}: {readonly kind: string}, _: string, selector = '') {
        const items: Readonly<Record<string, readonly object[]>> = {
          Node: cloud.nodes,
          Lease: cloud.leases,
          CronJob:
            cloud.hosts.length > 0 ? [{metadata: {namespace: 'openstack', name: 'nova-instances'}}] : [],
          Pod: selector
            ? [{metadata: {name: selector.split('=')[1]}, spec: {containers: [{name: 'main'}]}}]
            : agentPods(cloud).map(({namespace, name, node, label}) => ({
                metadata: {namespace, name, ownerReferences: [{kind: 'DaemonSet', controller: true}]},
                spec: {nodeName: node, nodeSelector: {[label]: 'enabled'}},
              })),
          DaemonSet: [
            ...(cloud.agents.length > 0 ? [] : [{metadata: {name: 'agents'}}]),
            ...cloud.agents.filter(({isService}) => !isService).map(agentObject),
          ],
          Deployment: [
            {metadata: {name: 'nova-status', annotations: {'kk.openstack.org/service-status': 'true'}}},
            {metadata: {name: 'nova-api'}},
            ...cloud.agents.filter(({isService}) => isService).map(agentObject),
          ],
        }
        return items[kind] as readonly T[]
      },
      async delete({kind}, {name}) {
        cloud.done.push(`delete ${kind}/${name}`)
      },
      async merge(_, {name}, fields) {
        const {metadata, spec} = fields as Partial<FakeNode> & Pick<FakeNode, 'metadata'>
        const node = cloud.nodes.find((each) => each.metadata.name === name)!
        if (metadata.labels) {
          cloud.done.push(`label ${name}`)
          const labels = {...node.metadata.labels, ...metadata.labels}
          node.metadata.labels = Object.fromEntries(Object.entries(labels).filter(([, value]) => value))
          return
        }
        const annotations = {...node.metadata.annotations, ...metadata.annotations}
        node.metadata.annotations = Object.fromEntries(
          Object.entries(annotations).filter(([, value]) => value),
        )
        if (spec === undefined) return
        cloud.done.push(`${spec.unschedulable ? 'cordon' : 'uncordon'} ${name}`)
        node.spec.unschedulable = spec.unschedulable
      },
    }),
    live: port({
      async createJobOf({job: name, variables, avoidedNode}): Promise<KubernetesObject> {
        cloud.avoided.push(avoidedNode)
        if (cloud.jobs.has(name)) throw new KkError('KK_API', `the Job ${name} exists`)
        const operations = JSON.parse(variables.OPERATIONS ?? '[]') as readonly Operation[]
        cloud.jobs.set(name, operations)
        return job(name)
      },
      async delete({name}) {
        return cloud.jobs.delete(name)
      },
    }),
    health: port({
      async gate({objects: [object]}) {
        const {kind, metadata} = object!
        if (kind === 'Job') {
          const operations = cloud.jobs.get(metadata.name)!
          const lines = operations.flatMap((operation) => perform(cloud, operation))
          logs.set(metadata.name, operations.length > 0 ? lines : ['a warning', JSON.stringify(facts())])
        } else cloud.done.push(`wait for ${kind}/${metadata.name}`)
        return {state: 'healthy'}
      },
      log: async (_, pod) => (cloud.isLogLost ? Promise.reject(new Error('no log')) : (logs.get(pod) ?? [])),
    }),
    evictions: {
      async pods(node) {
        const pods = node === 'a' ? cloud.pods : []
        if (!cloud.servers.some((each) => each.host === node && each.status !== 'SHUTOFF')) unblock(cloud)
        const ofAgents = agentPods(cloud)
          .filter((pod) => pod.node === node)
          .map(({namespace, name, label, isService}) => {
            const controller = isService ? 'ReplicaSet' : 'DaemonSet'
            const selector = {[label]: 'enabled'}
            return {namespace, name, uid: name, controller, selector, isBeingDeleted: false}
          })
        return [...pods, ...ofAgents]
      },
      async evict(pod) {
        if (cloud.unanswered.delete(pod.name)) throw new KkError('KK_UNREACHABLE', 'no response in time')
        const refused = cloud.kept.get(pod.name)
        if (refused !== undefined) return refused
        cloud.done.push(`evict ${pod.name}`)
        cloud.pods = cloud.pods.filter(({uid}) => uid !== pod.uid)
        return undefined
      },
    },
    exec: port({
      pods: async () => agentPods(cloud),
      async run({command}) {
        cloud.done.push(command.filter((word) => !word.startsWith('-')).join(' '))
        const id = command[command.indexOf('chassis-del') + 1]
        if (command.includes('chassis-del'))
          for (const [node, name] of cloud.chassis) if (name === id) cloud.chassis.delete(node)
        if (command.includes('discover_hosts'))
          cloud.hosts = cloud.hosts.map((each) => ({...each, room: {VCPU: 8, MEMORY_MB: 8192}}))
        const tables = {
          Chassis: [...cloud.chassis].map(([hostname, name]) => ({_uuid: name, name, hostname})),
          Chassis_Private: [...cloud.chassis.values()].map((name) => {
            const isRemoved = cloud.done.some((line) => line.includes(`remove Chassis_Private ${name}`))
            return {name, nb_cfg: 1, external_ids: isRemoved ? {} : {'neutron:ovn-metadata-id': `m-${name}`}}
          }),
        }
        if (command[0] === 'python3') cloud.done.pop()
        if (command[0] === 'ceph') return cephAnswer(cloud, command)
        return {code: 0, stdout: JSON.stringify({tables, members: null}), stderr: ''}
      },
    }),
    diagnosis: port({
      nodes: async () =>
        cloud.nodes.map(({metadata: {name, labels = {}}}) => {
          return {name, labels: labels as Record<string, string>, taints: cloud.taints, allocatable: {}}
        }),
    }),
  }
}
