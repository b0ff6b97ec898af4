import {existsSync} from 'node:fs'
import {readdir, readFile, rmdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {pollUntil} from '../../../base/poll.ts'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import {signalProcess} from '../../../state/processes/signal-process.ts'

/** The cgroup above all pods of the node, in every hierarchy. */
export const CGROUP = '/kk-aio'

const REMOVAL_TIMEOUT_MS = 20_000

/** Returns the cgroup mounts: one with version 2, one per controller with version 1. */
export async function cgroupMounts(): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '))
  return mounts
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
    .flatMap(([, path]) => (path === undefined ? [] : [path]))
}

/**
 * The node's CPU weight in each cgroup version, equal to a hundred processes. With the default weight all
 * pods together would get as much CPU as one other program, and a build on the machine would make their
 * probes time out.
 */
const SHARES = {'cpu.shares': '102400', 'cpu.weight': '10000'}

/** Creates the node's cgroup. With version 2, it also enables every controller for child cgroups. */
export async function makeCgroup(): Promise<void> {
  for (const mount of await cgroupMounts()) {
    await enableControllers(mount)
    const cgroup = join(mount, CGROUP)
    await makeDirectory(cgroup)
    for (const [file, shares] of Object.entries(SHARES))
      if (existsSync(join(cgroup, file))) await writeFile(join(cgroup, file), shares)
  }
}

interface NodeCgroup {
  readonly cgroup: string
  /** The cgroup of its processes: with version 2 one with controllers for its children has none itself. */
  readonly joined: string
}

/** Returns the cgroup of a node with namespaces of its own, below a cgroup mount. */
export function nodeCgroup(mount: string, name: string): NodeCgroup {
  const cgroup = join(mount, CGROUP, name)
  return {cgroup, joined: existsSync(join(mount, 'cgroup.controllers')) ? join(cgroup, 'init') : cgroup}
}

/** Creates the cgroup of a node with namespaces of its own, in every hierarchy, for processes to join. */
export async function makeNodeCgroup(name: string): Promise<void> {
  for (const mount of await cgroupMounts()) {
    const {cgroup, joined} = nodeCgroup(mount, name)
    const above = join(mount, CGROUP)
    await enableControllers(above)
    await makeDirectory(joined)
    // With version 1 a new cpuset is empty, and takes no process.
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      for (const [from, to] of [
        [mount, above],
        [above, cgroup],
      ] as const)
        if (existsSync(join(cgroup, 'tasks')) && existsSync(join(cgroup, file)))
          await writeFile(join(to, file), await readFile(join(from, file)))
  }
}

/** Kills every process in a node's cgroup, and removes it. */
export async function removeNodeCgroup(name: string): Promise<void> {
  for (const mount of await cgroupMounts()) await removeTree(nodeCgroup(mount, name).cgroup)
}

/** With version 2, enables every controller for the children of a cgroup. */
async function enableControllers(cgroup: string): Promise<void> {
  const controllers = await readFile(join(cgroup, 'cgroup.controllers'), 'utf8').catch(() => '')
  for (const name of controllers.split(/\s+/).filter(Boolean))
    await writeFile(join(cgroup, 'cgroup.subtree_control'), `+${name}`).catch(() => {})
}

/**
 * The cgroups of the chart libvirt's daemon, and of the guests that libvirt starts, which outlive pods. A
 * machine with the first one has no other libvirt: both would listen on the same socket.
 */
const LIBVIRT = '/kk-libvirt'
const GUESTS = '/machine'

/** The cgroup of the chart rbd-provisioner's ceph-fuse processes, which serve the volumes of pods. */
const VOLUMES = '/kk-volumes'

/** Kills every process in the node's cgroups, guests included, and removes the cgroups. */
export async function removeCgroup(): Promise<void> {
  for (const mount of await cgroupMounts()) {
    const withGuests = existsSync(join(mount, LIBVIRT))
    for (const cgroup of [CGROUP, VOLUMES, ...(withGuests ? [GUESTS, LIBVIRT] : [])])
      await removeTree(join(mount, cgroup))
  }
}

async function removeTree(root: string): Promise<void> {
  let failure: Error | undefined
  const isGone = async () => {
    const directories = await directoriesBelow(root)
    for (const directory of directories) await killAll(directory)
    failure = await removeDirectories(directories)
    return failure === undefined
  }
  const deadline = Date.now() + REMOVAL_TIMEOUT_MS
  if (!(await pollUntil(isGone, {interval: 20, deadline}))) throw failure
}

/** Returns the directory and all below it, children first; empty if it does not exist. */
async function directoriesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, {withFileTypes: true}).catch(() => undefined)
  if (entries === undefined) return []
  const children = entries.filter((entry) => entry.isDirectory()).map(({name}) => join(directory, name))
  return [...(await Promise.all(children.map(directoriesBelow))).flat(), directory]
}

async function killAll(directory: string): Promise<void> {
  const text = await readFile(join(directory, 'cgroup.procs'), 'utf8').catch(() => '')
  for (const pid of text.split('\n').filter(Boolean).map(Number)) signalProcess(pid, 'SIGKILL')
}

/**
 * Removes the directories. Returns the first error, if any: a cgroup is busy until its processes have exited.
 */
async function removeDirectories(directories: readonly string[]): Promise<Error | undefined> {
  for (const directory of directories) {
    try {
      await rmdir(directory)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error as Error
    }
  }
  return undefined
}
