import {KkError} from '../../base/errors.ts'
import {CLAIMS, PODS} from '../../kubernetes/api/resources.ts'
import type {Exec, SeenPod} from '../../kubernetes/exec/exec.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import type {NodeOsds, Osd} from '../../nodes/removal-plan.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {execInPod, runInPod} from './run-in-pod.ts'

type ExecPort = Pick<Exec, 'run'>

/** The directory of the files of the component `status`, which is the administrator of its Ceph. */
const FILES = '/var/lib/kolla/config_files'
const CEPH = ['ceph', '--conf', `${FILES}/ceph.conf`, '--keyring', `${FILES}/ceph.client.admin.keyring`]

/** Returns the pod that may administrate Ceph; undefined if the environment does not run its own Ceph. */
export function cephPod(pods: readonly SeenPod[]): SeenPod | undefined {
  return pods.find(({chart, component, isRunning}) => chart === 'ceph' && component === 'status' && isRunning)
}

interface Tree {
  readonly nodes: readonly {
    readonly id: number
    readonly name: string
    readonly type: string
    readonly children?: readonly number[]
    readonly status?: string
    /** 0 for an osd that is out. */
    readonly reweight?: number
  }[]
}

/** Reads which osds are on a node, and whether the others can have their data. */
export async function readOsds(exec: ExecPort, pod: SeenPod, node: string): Promise<NodeOsds> {
  const [tree, metadata, pools] = await Promise.all([
    ask<Tree>(exec, pod, ['osd', 'tree']),
    ask<readonly {readonly id: number; readonly pod_name?: string}[]>(exec, pod, ['osd', 'metadata']),
    ask<readonly {readonly size: number}[]>(exec, pod, ['osd', 'pool', 'ls', 'detail']),
  ])
  const osds = new Map(tree.nodes.filter(({type}) => type === 'osd').map((each) => [each.id, each]))
  const hosts = tree.nodes.filter(({type}) => type === 'host')
  const serving = hosts.filter(({name, children = []}) => {
    return name !== node && children.some((id) => osds.get(id)?.status === 'up' && osds.get(id)?.reweight)
  })
  const own = hosts.filter(({name}) => name === node).flatMap(({children = []}) => children)
  return {
    osds: own.map((id): Osd => {
      const name = metadata.find((each) => each.id === id)?.pod_name
      return {id, ...(name !== undefined && {pod: `${pod.namespace}/${name}`})}
    }),
    otherNodes: serving.length,
    copies: Math.max(0, ...pools.map(({size}) => size)),
  }
}

/** Takes osds out, and waits until Ceph needs none of their data. Throws `KK_UNHEALTHY` at the deadline. */
export async function emptyOsds(
  exec: ExecPort,
  pod: SeenPod,
  {
    osds,
    deadline,
    signal,
    onProgress,
  }: Pick<DrainOptions, 'deadline' | 'signal' | 'onProgress'> & {
    readonly osds: readonly Osd[]
  },
): Promise<void> {
  const names = osds.map(nameOf)
  await order(exec, pod, ['osd', 'out', ...names])
  onProgress(`${names.join(', ')} are out: Ceph copies their data`)
  let why = ''
  const isEmpty = await pollCluster(
    async () => {
      const {code, stderr} = await run(exec, pod, ['osd', 'safe-to-destroy', ...names])
      const said = stderr.trim()
      if (said !== '' && said !== why && code !== 0) onProgress(said)
      why = said
      return code === 0
    },
    {interval: 5_000, deadline, signal},
  )
  if (!isEmpty)
    throw new KkError('KK_UNHEALTHY', `Ceph still needs ${names.join(', ')}: ${why}`, {
      hint: `kk node remove goes on when they are empty; ceph osd in ${names.join(' ')} takes them back`,
    })
}

/** Stops osds, deletes their claims, and removes them and their host from Ceph. */
export async function purgeOsds(
  {exec, objects}: Pick<DrainPorts, 'exec' | 'objects'>,
  pod: SeenPod,
  {
    osds,
    claims,
    node,
    deadline,
    signal,
    onProgress,
  }: DrainOptions & {
    readonly osds: readonly Osd[]
    /** Their claims, as `namespace/name`. */
    readonly claims: readonly string[]
  },
): Promise<void> {
  // A claim is deleted when its pod is, which is created again with a new one, on another node.
  for (const claim of claims) await objects.delete(CLAIMS, placeOf(claim))
  for (const {pod: own} of osds) if (own !== undefined) await objects.delete(PODS, placeOf(own))
  for (const osd of osds) {
    let why = ''
    const isPurged = await pollCluster(
      async () => {
        const {code, stderr} = await run(exec, pod, ['osd', 'purge', nameOf(osd), '--yes-i-really-mean-it'])
        why = stderr.trim()
        return code === 0
      },
      {interval: 3_000, deadline, signal},
    )
    if (!isPurged) throw new KkError('KK_EXEC', `${nameOf(osd)} is not removed from Ceph: ${why}`)
    onProgress(`${nameOf(osd)} is removed from Ceph`)
  }
  await order(exec, pod, ['osd', 'crush', 'rm', node])
}

function nameOf({id}: {readonly id: number}): string {
  return `osd.${id}`
}

export function placeOf(text: string): {readonly namespace: string; readonly name: string} {
  const [namespace = '', name = ''] = text.split('/')
  return {namespace, name}
}

function run(exec: ExecPort, pod: SeenPod, words: readonly string[]) {
  return execInPod(exec, pod, [...CEPH, ...words])
}

function order(exec: ExecPort, pod: SeenPod, words: readonly string[]): Promise<string> {
  return runInPod(exec, pod, [...CEPH, ...words], {title: `ceph ${words.join(' ')}`})
}

async function ask<T>(exec: ExecPort, pod: SeenPod, words: readonly string[]): Promise<T> {
  return JSON.parse(await order(exec, pod, [...words, '--format', 'json'])) as T
}

/** The monitors of Ceph by name, and those that have a quorum. */
export async function readMonitors(
  exec: ExecPort,
  pod: SeenPod,
): Promise<{readonly names: readonly string[]; readonly quorum: readonly string[]}> {
  const {quorum_names: quorum, monmap} = await ask<{
    readonly quorum_names: readonly string[]
    readonly monmap: {readonly mons: readonly {readonly name: string}[]}
  }>(exec, pod, ['quorum_status'])
  return {quorum, names: monmap.mons.map(({name}) => name)}
}

export async function forgetMonitors(exec: ExecPort, pod: SeenPod, names: readonly string[]): Promise<void> {
  for (const name of names) await order(exec, pod, ['mon', 'remove', name])
}

/** Reads the osds of lost pods, as `osd.ID`, and what of Ceph's data cannot be read without them. */
export async function readLostOsds(
  exec: ExecPort,
  pod: SeenPod,
  lost: readonly string[],
): Promise<{readonly down: readonly string[]; readonly doubts: readonly string[]}> {
  const [tree, metadata, {mgrmap, pgmap}] = await Promise.all([
    ask<Tree>(exec, pod, ['osd', 'tree']),
    ask<readonly {readonly id: number; readonly pod_name?: string}[]>(exec, pod, ['osd', 'metadata']),
    ask<CephStatus>(exec, pod, ['status']),
  ])
  const ids = metadata.flatMap(({id, pod_name: name}) =>
    name !== undefined && lost.includes(name) ? [id] : [],
  )
  const own = tree.nodes.filter(({id, type}) => type === 'osd' && ids.includes(id))
  const unread = (pgmap.pgs_by_state ?? []).filter(({state_name: state}) => {
    return !state.includes('active') || WITHOUT_DATA.test(state)
  })
  return {
    down: own.filter(({status}) => status !== 'up').map(nameOf),
    doubts: [
      ...own.filter(({status}) => status === 'up').map((osd) => `${nameOf(osd)} is up`),
      // It reports the states of placement groups, and removes osds.
      ...(mgrmap.available ? [] : ['no ceph-mgr is active; if its pod was on the node, delete it by force']),
      ...unread.map(({state_name: state, count}) => `${count} placement groups are ${state}`),
    ],
  }
}

interface CephStatus {
  readonly mgrmap: {readonly available: boolean}
  readonly pgmap: {readonly pgs_by_state?: readonly {readonly state_name: string; readonly count: number}[]}
}

/** States in which copies that exist are not enough, or not sure to be right. */
const WITHOUT_DATA = /stale|down|incomplete|unfound|inconsistent|failed_repair/

/** Removes osds that are down, and the node that had them. */
export async function forgetOsds(
  exec: ExecPort,
  pod: SeenPod,
  {names, node}: {readonly names: readonly string[]; readonly node: string},
): Promise<void> {
  for (const name of names) await order(exec, pod, ['osd', 'purge', name, '--yes-i-really-mean-it'])
  if (names.length > 0) await run(exec, pod, ['osd', 'crush', 'rm', node])
}
