import {KkError} from '../../../../src/base/errors.ts'
import type {Cluster} from '../../../../src/kubernetes/cluster.ts'
import type {SeenPod} from '../../../../src/kubernetes/exec/exec.ts'
import type {DrainPorts} from '../../../../src/verbs/nodes/drain.ts'
import {podOf} from '../../../audit/support/answering-pods.ts'
import {port} from '../../../kubernetes/support/port.ts'

const SETS = [
  ['mariadb', 'server'],
  ['rabbitmq', 'server'],
  ['ovn', 'sb'],
  ['ceph', 'mon'],
  ['ceph', 'osd'],
] as const

/** A control plane of three nodes, `a`, `b` and `c`, of which `a` has lost its power. */
export interface FakeMembers {
  isBack: boolean
  /** Whether new members of OVN and Ceph begin a cluster of their own. */
  isApart: boolean
  /** Whether Kubernetes no longer has `a`. */
  isDeleted: boolean
  sets: readonly (typeof SETS)[number][]
  readonly pods: SeenPod[]
  /** What differs in Galera's status of members from a healthy one, by pod. */
  readonly wsrep: Record<string, Record<string, string>>
  rabbit: {members: string[]; running: string[]; queues: object[]}
  /** The servers of OVN's southbound database: their IDs and pods. */
  servers: (readonly [id: string, pod: string])[]
  /** How often the bus cannot be read, from now on, and once a member has begun again. */
  unread: number
  unreadWhenBack: number
  leader: string
  monitors: string[]
  quorum: string[]
  osds: {id: number; node: string; status: string}[]
  hasMgr: boolean
  readonly placementGroups: {state_name: string; count: number}[]
  /** The labels of a fourth node, `d`. */
  readonly spare: Record<string, string>
  readonly done: string[]
}

export function fakeMembers(): FakeMembers {
  const nodes = ['a', 'b', 'c']
  const pods = SETS.flatMap(([chart, component]) =>
    nodes.map((node, ordinal) =>
      podOf(chart, component, {name: `${chart}-${component}-${ordinal}`, node, isRunning: node !== 'a'}),
    ),
  )
  const names = [0, 1, 2].map((ordinal) => `rabbit@rabbitmq-server-${ordinal}.peers`)
  const queue = {type: 'stream', state: 'running', leader: names[1]}
  return {
    ...{isBack: false, isApart: false, isDeleted: false, unread: 0, unreadWhenBack: 0},
    ...{sets: SETS, wsrep: {}, leader: '1f2e', spare: {}, done: []},
    pods: [
      ...pods,
      podOf('ceph', 'status', {node: 'b'}),
      podOf('ceph', 'mgr', {node: 'a', isRunning: false}),
    ],
    rabbit: {
      ...{members: names, running: names.slice(1)},
      queues: [{...queue, name: ['/', 'nova'], members: names, online: names.slice(1)}],
    },
    servers: ['0a0a', '1b1b', '2c2c'].map((id, ordinal) => [id, `ovn-sb-${ordinal}`]),
    monitors: ['ceph-mon-0', 'ceph-mon-1', 'ceph-mon-2'],
    quorum: ['ceph-mon-1', 'ceph-mon-2'],
    osds: nodes.map((node, id) => ({id, node, status: node === 'a' ? 'down' : 'up'})),
    hasMgr: true,
    placementGroups: [{state_name: 'active+undersized+degraded', count: 33}],
  }
}

/** Answers a command in a pod, and does what it orders. */
function answer(cloud: FakeMembers, pod: string, command: readonly string[]): string {
  const words = command.filter((word) => !word.startsWith('-')).join(' ')
  const order = () => void cloud.done.push(words)
  if (words.startsWith('mariadb')) return wsrepText(cloud, pod)
  if (words.startsWith('python3')) {
    if (cloud.unread-- > 0) throw new KkError('KK_EXEC', 'noproc')
    return JSON.stringify(cloud.rabbit)
  }
  if (words.includes('cluster/status')) {
    const servers = cloud.servers.map(([id, name]) => `    ${id} (${id} at ssl:${name}.ovn-sb-peers:6644)`)
    return `Status: cluster member\nLeader: ${cloud.leader}\nServers:\n${servers.join('\n')}\n`
  }
  if (words.endsWith('quorum_status json'))
    return JSON.stringify({
      quorum_names: cloud.quorum,
      monmap: {mons: cloud.monitors.map((name) => ({name}))},
    })
  if (words.endsWith('osd tree json')) return JSON.stringify(osdTree(cloud))
  if (words.endsWith('osd metadata json'))
    return JSON.stringify(cloud.osds.map(({id}) => ({id, pod_name: `ceph-osd-${id}`})))
  if (words.endsWith('status json'))
    return JSON.stringify({mgrmap: {available: cloud.hasMgr}, pgmap: {pgs_by_state: cloud.placementGroups}})
  order()
  const last = command.at(-1)!
  if (words.includes('cluster/kick')) cloud.servers = cloud.servers.filter(([id]) => id !== last)
  if (words.includes('forget_cluster_node')) {
    const {members, queues, running} = cloud.rabbit
    const left = members.filter((name) => name !== last)
    cloud.rabbit = {members: left, running, queues: queues.map((each) => ({...each, members: left}))}
  }
  if (words.includes('add_replica'))
    cloud.rabbit.queues = cloud.rabbit.queues.map((each) => ({...each, members: cloud.rabbit.members}))
  return ''
}

function wsrepText({wsrep}: FakeMembers, pod: string): string {
  const status = {
    ...{cluster_status: 'Primary', local_state_comment: 'Synced', cluster_state_uuid: 'h'},
    ...{last_committed: '7', cluster_size: '2'},
    ...wsrep[pod],
  }
  return Object.entries(status)
    .map(([name, value]) => `wsrep_${name}\t${value}\n`)
    .join('')
}

function osdTree({osds}: FakeMembers) {
  return {
    nodes: osds.flatMap(({id, node, status}) => [
      {id: -1 - id, name: node, type: 'host', children: [id]},
      {id, name: `osd.${id}`, type: 'osd', status},
    ]),
  }
}

export function portsOf(cloud: FakeMembers): DrainPorts & Pick<Cluster, 'diagnosis'> {
  const label = 'kubernetes.io/hostname'
  const claims = new Map<string, string>(
    cloud.sets.flatMap(([chart, component]) =>
      ['a', 'b', 'c'].map((node, ordinal) => [`data-${chart}-${component}-${ordinal}`, node] as const),
    ),
  )
  claims.set('glance-images', 'a')
  const uids = new Map(cloud.pods.map(({name}) => [name, 1]))
  const ready = (name: string) => ({
    metadata: {name, labels: {[label]: name, ...(name === 'd' ? cloud.spare : {control: 'enabled'})}},
    status: {conditions: [{type: 'Ready', status: name === 'a' && !cloud.isBack ? 'Unknown' : 'True'}]},
  })
  const nodes = cloud.isDeleted ? ['b', 'c', 'd'] : ['a', 'b', 'c', 'd']
  const lists: Readonly<Record<string, () => readonly object[]>> = {
    Node: () => nodes.map(ready),
    PersistentVolume: () =>
      [...claims].map(([name, node]) => {
        const matchExpressions = [{key: label, operator: 'In', values: [node]}]
        const nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions}]}}
        return {spec: {claimRef: {namespace: 'openstack', name}, nodeAffinity}, status: {phase: 'Bound'}}
      }),
    StatefulSet: () =>
      cloud.sets.map(([chart, component]) => ({
        metadata: {
          name: `${chart}-${component}`,
          labels: {
            'app.kubernetes.io/name': chart,
            'app.kubernetes.io/component': component,
            'app.kubernetes.io/instance': chart,
          },
        },
        spec: {
          replicas: 3,
          volumeClaimTemplates: [{metadata: {name: 'data'}}],
          template: {spec: {nodeSelector: {control: 'enabled'}, containers: []}},
        },
      })),
  }
  const read = {
    Node: (name: string) => (nodes.includes(name) ? ready(name) : undefined),
    Pod: (name: string) => {
      const claimName = `data-${name}`
      const volumes = claims.has(claimName) ? [{persistentVolumeClaim: {claimName}}] : []
      const ownerReferences = [{kind: 'StatefulSet', controller: true}]
      const metadata = {namespace: 'openstack', name, uid: String(uids.get(name)), ownerReferences}
      return {metadata, spec: {volumes, containers: []}}
    },
    PersistentVolumeClaim: (name: string) => (claims.has(name) ? {metadata: {uid: name}} : undefined),
  }
  return {
    objects: port({
      read: (({kind}: {kind: keyof typeof read}, {name}: {name: string}) =>
        Promise.resolve(read[kind](name))) as never,
      list: (({kind}: {kind: string}) => Promise.resolve(lists[kind]?.() ?? [])) as never,
      async merge(_, {name}, {metadata}: {metadata?: {labels?: object}}) {
        cloud.done.push(`label ${name} ${Object.keys(metadata?.labels ?? {}).join(',')}`)
      },
      async delete({kind}, {name}, {force = false} = {}) {
        cloud.done.push(`delete ${kind} ${name}${force ? ' by force' : ''}`)
        if (kind === 'PersistentVolumeClaim') claims.set(name, 'b')
        else rejoin(cloud, name, uids)
      },
    }),
    live: port({}),
    health: port({
      async gate({objects: [object]}) {
        cloud.done.push(`wait for ${object!.metadata.name}`)
        return {state: 'healthy'}
      },
    }),
    evictions: port({}),
    exec: port({
      pods: async () => cloud.pods,
      run: async ({pod, command}) => ({code: 0, stdout: answer(cloud, pod, command), stderr: ''}),
    }),
    diagnosis: port({
      nodes: async () =>
        nodes.map((name) => ({name, labels: ready(name).metadata.labels, taints: [], allocatable: {}})),
    }),
  }
}

/** The pod of a member that was deleted begins on another node. */
function rejoin(cloud: FakeMembers, name: string, uids: Map<string, number>): void {
  uids.set(name, 2)
  const at = cloud.pods.findIndex((pod) => pod.name === name)
  cloud.pods[at] = {...cloud.pods[at]!, node: 'b', isRunning: true}
  if (name.startsWith('rabbitmq')) {
    const {members, running, queues} = cloud.rabbit
    const again = `rabbit@${name}.peers`
    cloud.rabbit = {members: [...members, again], running: [...running, again], queues}
    cloud.unread = cloud.unreadWhenBack
  }
  if (cloud.isApart) return
  if (name.startsWith('ovn')) cloud.servers = [...cloud.servers, ['9f9f', name]]
  if (name.startsWith('ceph-mon')) cloud.quorum = [...cloud.quorum, name]
}
