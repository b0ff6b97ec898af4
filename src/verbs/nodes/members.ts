import {compareBus} from '../../audit/compare/bus.ts'
import type {Bus} from '../../audit/facts.ts'
import type {Finding} from '../../audit/finding.ts'
import {collectors, gather} from '../../audit/gather.ts'
import {asKkError, KkError} from '../../base/errors.ts'
import type {Exec, SeenPod} from '../../kubernetes/exec/exec.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import type {DrainOptions} from './drain.ts'
import {cephPod, forgetMonitors, forgetOsds, readLostOsds, readMonitors} from './osds.ts'
import {runInPod} from './run-in-pod.ts'

/** The members of one StatefulSet: those that run on other nodes, and those that are lost. */
export interface Members {
  readonly exec: Pick<Exec, 'run'>
  /** The running pods of the release on other nodes. */
  readonly pods: readonly SeenPod[]
  readonly others: readonly SeenPod[]
  /** How many members there should be. */
  readonly wanted: number
  /** The names of the pods that are lost. */
  readonly lost: readonly string[]
  readonly node: string
  readonly files: string
}

/** What the others say of the lost members. */
interface Opinion {
  /** Why they cannot do without them. */
  readonly doubts: readonly string[]
  /** What they still list, as they call it. */
  readonly listed: readonly string[]
}

/** A service whose members each have all data, or a part of which others have a copy. */
interface MemberKind {
  ask(members: Members): Promise<Opinion>
  /** Removes lost members from the list of the others. Idempotent. */
  forget(members: Members, listed: readonly string[], until: Waiting): Promise<void>
  /** Gives new members what the others do not give them by themselves. Idempotent. */
  complete?(members: Members, until: Waiting): Promise<void>
}

/** Asks the others; one that cannot be asked is a doubt. */
export async function opinion(kind: MemberKind, members: Members): Promise<Opinion> {
  return kind.ask(members).catch((error: unknown) => {
    const {code, message} = asKkError(error)
    if (code !== 'KK_EXEC') throw error
    return {doubts: [message], listed: []}
  })
}

type Waiting = Pick<DrainOptions, 'deadline' | 'signal' | 'onProgress'>

function inPod(
  {exec}: Pick<Members, 'exec'>,
  pod: SeenPod,
  command: readonly string[],
  timeout?: number,
): Promise<string> {
  const title = command.slice(0, 3).join(' ')
  return runInPod(exec, pod, command, {title, ...(timeout !== undefined && {timeout})})
}

const WSREP = [
  'cluster_status',
  'local_state_comment',
  'cluster_state_uuid',
  'last_committed',
  'cluster_size',
]

/**
 * A member of Galera copies all data from another when it starts empty, and has left the others by itself.
 */
const galera: MemberKind = {
  async ask(members) {
    const {others} = members
    const read = () => Promise.all(others.map((pod) => wsrepStatus(members, pod)))
    const [first, second] = [await read(), await read()]
    const newest = Math.max(...first.map(({last_committed: change}) => Number(change)))
    const doubts = second.flatMap((status, at) => {
      const name = others[at]!.name
      return [
        ...(status.cluster_status === 'Primary' ? [] : [`${name} is ${status.cluster_status}`]),
        ...(status.local_state_comment === 'Synced' ? [] : [`${name} is ${status.local_state_comment}`]),
        ...(Number(status.last_committed) >= newest
          ? []
          : [`${name} has change ${status.last_committed}, another has ${newest}`]),
        ...(Number(status.cluster_size) <= others.length
          ? []
          : [`${name} sees ${status.cluster_size} members, and ${others.length} run elsewhere`]),
      ]
    })
    const histories = new Set(second.map(({cluster_state_uuid: history}) => history))
    return {
      doubts: [...doubts, ...(histories.size > 1 ? ['its members have several histories'] : [])],
      listed: [],
    }
  },
  async forget() {},
}

type WsrepStatus = Readonly<Record<(typeof WSREP)[number], string>>

async function wsrepStatus(members: Members, pod: SeenPod): Promise<WsrepStatus> {
  const names = WSREP.map((name) => `'wsrep_${name}'`).join(', ')
  const query = `SHOW GLOBAL STATUS WHERE Variable_name IN (${names})`
  const command = ['mariadb', '--user=root', '--batch', '--skip-column-names', `--execute=${query}`]
  const lines = (await inPod(members, pod, command)).split('\n').filter((line) => line !== '')
  return Object.fromEntries(lines.map((line) => line.replace(/^wsrep_/, '').split('\t')))
}

/** An empty member of RabbitMQ joins only when the others have forgotten the former one. */
const rabbitmq: MemberKind = {
  async ask(members) {
    const bus = await readBus(members)
    const lost = lostAmong(bus.members, members)
    // Also those that were forgotten by an interrupted call, and whose replicas were not deleted yet.
    const listed = [
      ...new Set([...lost, ...bus.queues.flatMap(({members: names}) => lostAmong(names ?? [], members))]),
    ]
    const left = (names: readonly string[]) => names.filter((name) => !lost.includes(name))
    const silent = left(bus.members).filter((name) => !bus.running.includes(name))
    const unknown = bus.queues.filter(({members: replicas}) => replicas === null)
    const queues = bus.queues.filter(({members: replicas, online}) => {
      return replicas !== null && left(online ?? []).length * 2 <= replicas.length
    })
    return {
      doubts: [
        ...silent.map((name) => `${name} does not run`),
        ...lost.filter((name) => bus.running.includes(name)).map((name) => `${name} still runs`),
        ...unknown.map(({name: [host, name]}) => `the replicas of queue ${name} of ${host} are unknown`),
        ...queues.map(({name: [host, name]}) => `most replicas of queue ${name} of ${host} are lost`),
      ],
      listed,
    }
  },
  async forget(members, listed, {deadline, signal}) {
    const [pod] = members.others
    // Also shrinks each queue, and waits for the lost member at each.
    const timeout = Math.max(MIN_FORGET_TIMEOUT_MS, deadline - Date.now())
    const problems = new Map<string, unknown>()
    for (const name of listed)
      await inPod(members, pod!, ['rabbitmqctl', '--quiet', 'forget_cluster_node', name], timeout).catch(
        (error: unknown) => problems.set(name, error),
      )
    let problem: string | undefined
    const isForgotten = await pollCluster(
      async () => {
        const {bus, why} = await tryBus(members)
        problem = why
        if (!bus) return false
        const member = listed.find((name) => bus.members.includes(name))
        if (member !== undefined) throw problems.get(member) ?? new KkError('KK_EXEC', `${member} is listed`)
        const left = compareBus(bus).filter(({kind}) => kind === 'QUEUE_REPLICA_ON_REMOVED_MEMBER')
        await attempt(members, left, deadline)
        return left.length === 0
      },
      {interval: 2_000, deadline, signal},
    )
    if (!isForgotten)
      throw new KkError('KK_UNHEALTHY', problem ?? 'queues of RabbitMQ keep replicas on lost members')
  },
  async complete(members, {deadline, signal, onProgress}) {
    const began = Date.now()
    let lacking: readonly Finding[] = []
    let problem: string | undefined
    const isComplete = await pollCluster(
      async () => {
        const {bus, why} = await tryBus(members)
        if (!bus) {
          problem = why
          return false
        }
        if (bus.running.length < members.wanted) return false
        lacking = compareBus(bus).filter(({kind}) => REPAIRED.has(kind))
        if (lacking.length === 0) return true
        onProgress('queues and streams of RabbitMQ get their replicas')
        // Quorum queues get theirs by themselves, some seconds after a member has joined.
        const isLate = Date.now() - began > RECONCILIATION_MS
        problem = await attempt(
          members,
          lacking.filter(({repair}) => isLate || repair.command.includes('add_replica')),
          deadline,
        )
        return false
      },
      {interval: 2_000, deadline, signal},
    )
    if (isComplete) return
    const what = lacking[0]?.what ?? `RabbitMQ has fewer than ${members.wanted} members`
    throw new KkError('KK_UNHEALTHY', `${what}${problem === undefined ? '' : `: ${problem}`}`)
  },
}

/** What a queue or stream gets: it is created with as many replicas as there were members then. */
const REPAIRED: ReadonlySet<string> = new Set(['QUEUE_LACKS_REPLICAS', 'QUEUE_REPLICA_ON_REMOVED_MEMBER'])
const RECONCILIATION_MS = 60_000
const MIN_FORGET_TIMEOUT_MS = 60_000

/**
 * Executes the repairs of findings, and returns why one failed: the next comparison shows whether it is still
 * needed, which for a queue that is gone it is not.
 */
async function attempt(
  members: Members,
  findings: readonly Finding[],
  deadline: number,
): Promise<string | undefined> {
  let problem: string | undefined
  for (const {repair} of findings) {
    if (Date.now() > deadline) break
    await inPod(members, members.others[0]!, repair.command).catch((error: unknown) => {
      const {code, message} = asKkError(error)
      if (code !== 'KK_EXEC') throw error
      problem = message
    })
  }
  return problem
}

function lostAmong(names: readonly string[], {lost}: Members): readonly string[] {
  return names.filter((name) => lost.some((pod) => name.includes(`@${pod}.`)))
}

async function readBus({exec, others: [pod], files}: Members): Promise<Bus> {
  const elsewhere = {run: exec.run, pods: async () => [pod!]}
  const {namespace, release, chart} = pod!
  const {facts, notAsked} = await gather(
    {exec: elsewhere, program: collectors(files)},
    {releases: [{namespace, name: release, chart}], only: {sources: ['rabbitmq'], node: undefined}},
  )
  const [bus] = facts.buses
  if (bus) return bus
  throw new KkError('KK_EXEC', `RabbitMQ cannot be read: ${notAsked[0]?.reason ?? 'no answer'}`)
}

/**
 * The same, or why it cannot be read: while members come and go, RabbitMQ cannot describe each of its
 * streams.
 */
async function tryBus(members: Members): Promise<{readonly bus?: Bus; readonly why?: string}> {
  try {
    return {bus: await readBus(members)}
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code !== 'KK_EXEC') throw error
    return {why: message}
  }
}

/** An empty member of a database of OVN is a new server, which must not share an address with the former. */
const raft: MemberKind = {
  async ask(members) {
    const states = await Promise.all(members.others.map((pod) => raftStatus(members, pod)))
    const doubts = states.flatMap(({status, leader}, at) => {
      const name = members.others[at]!.name
      return [
        ...(status === 'cluster member' ? [] : [`${name} is no member: ${status}`]),
        ...(leader === 'unknown' ? [`${name} knows no leader`] : []),
      ]
    })
    const [first] = states
    return {
      doubts,
      listed: (first?.servers ?? []).filter((server) => isLost(server, members)).map(({id}) => id),
    }
  },
  async forget(members, listed, {deadline, signal}) {
    const [pod] = members.others
    for (const id of listed)
      await inPod(members, pod!, ['ovs-appctl', '-t', DB_CONTROL, 'cluster/kick', databaseOf(pod!), id])
    const isGone = await pollCluster(
      async () => {
        const {servers} = await raftStatus(members, pod!)
        return !servers.some(({id}) => listed.includes(id))
      },
      {interval: 1_000, deadline, signal},
    )
    if (!isGone)
      throw new KkError('KK_EXEC', `${databaseOf(pod!)} still has the members ${listed.join(', ')}`)
  },
  // A member that began a cluster of its own is ready, too.
  async complete(members, {deadline, signal}) {
    const {others, wanted} = members
    const isWhole = await pollCluster(
      async () => {
        const states = await Promise.all(others.map((pod) => raftStatus(members, pod)))
        return states.length === wanted && states.every(({servers}) => servers.length === wanted)
      },
      {interval: 1_000, deadline, signal},
    )
    if (!isWhole)
      throw new KkError('KK_UNHEALTHY', `not every member of ${databaseOf(others[0]!)} lists all ${wanted}`)
  },
}

const DB_CONTROL = '/run/ovn/db.ctl'

function databaseOf({component}: SeenPod): string {
  return component === 'nb' ? 'OVN_Northbound' : 'OVN_Southbound'
}

interface Server {
  readonly id: string
  readonly address: string
}

/** The address of a member is the name of its pod. */
function isLost({address}: Server, {lost}: Members): boolean {
  return lost.some((pod) => address.includes(`:${pod}.`))
}

async function raftStatus(members: Members, pod: SeenPod) {
  const text = await inPod(members, pod, [
    ...['ovs-appctl', '-t', DB_CONTROL, 'cluster/status', databaseOf(pod)],
  ])
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? 'unknown'
  const servers = [...text.matchAll(/^ +(\S+) \(\S+ at ([^)]+)\)/gm)]
  return {
    status: field('Status'),
    leader: field('Leader'),
    servers: servers.map(([, id = '', address = '']): Server => ({id, address})),
  }
}

/** A monitor without data joins the others; the former one has its name. */
const monitors: MemberKind = {
  async ask(members) {
    const {names, quorum} = await readMonitors(members.exec, requireCeph(members))
    const left = quorum.filter((name) => !members.lost.includes(name))
    return {
      doubts: [
        ...quorum.filter((name) => members.lost.includes(name)).map((name) => `${name} is in the quorum`),
        ...(left.length * 2 > names.length ? [] : ['its other monitors have no majority']),
      ],
      listed: names.filter((name) => members.lost.includes(name)),
    }
  },
  forget: (members, listed) => forgetMonitors(members.exec, requireCeph(members), listed),
  async complete(members, {deadline, signal}) {
    const isWhole = await pollCluster(
      async () => {
        const {quorum} = await readMonitors(members.exec, requireCeph(members))
        return quorum.length === members.wanted
      },
      {interval: 1_000, deadline, signal},
    )
    if (!isWhole)
      throw new KkError('KK_UNHEALTHY', `not all ${members.wanted} monitors of Ceph are in the quorum`)
  },
}

/** Ceph copies the data of a lost osd from others, to a new one too. */
const osds: MemberKind = {
  async ask(members) {
    const {doubts, down} = await readLostOsds(members.exec, requireCeph(members), members.lost)
    return {doubts, listed: down}
  },
  forget: (members, names) => forgetOsds(members.exec, requireCeph(members), {names, node: members.node}),
}

function requireCeph({pods}: Members): SeenPod {
  const pod = cephPod(pods)
  if (pod) return pod
  throw new KkError('KK_EXEC', 'Ceph cannot be asked: its pod of the component status runs on no other node')
}

/** The kinds of members, by chart and component. */
export const MEMBER_KINDS: Readonly<Record<string, MemberKind>> = {
  'mariadb server': galera,
  'rabbitmq server': rabbitmq,
  'ovn nb': raft,
  'ovn sb': raft,
  'ceph mon': monitors,
  'ceph osd': osds,
}
