import {existsSync} from 'node:fs'
import {readdir, readFile, rmdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {pollUntil} from '../../../base/poll.ts'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import {signalProcess} from '../../../state/processes/signal-process.ts'

/** The cgroup above all pods of the node, in every hierarchy. */
export const CGROUP = '/kk-aio'

const GONE_WITHIN_MILLISECONDS = 20_000

/** Returns the mounts of cgroups: one with version 2, one for each controller with version 1. */
export async function cgroupMounts(): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '))
  return mounts
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
    .flatMap(([, path]) => (path === undefined ? [] : [path]))
}

/**
 * The node's part of the processor, in each version, as that of a hundred processes: otherwise all pods together had as much
 * as one program beside them, and a build on the machine kept them from answering their probes.
 */
const SHARES = {'cpu.shares': '102400', 'cpu.weight': '10000'}

/** Makes the node's cgroup. With version 2, it also enables every controller for child cgroups. */
export async function makeCgroup(): Promise<void> {
  for (const mount of await cgroupMounts()) {
    const controllers = await readFile(join(mount, 'cgroup.controllers'), 'utf8').catch(() => '')
    for (const name of controllers.split(/\s+/).filter(Boolean))
      await writeFile(join(mount, 'cgroup.subtree_control'), `+${name}`).catch(() => {})
    const cgroup = join(mount, CGROUP)
    await makeDirectory(cgroup)
    for (const [file, shares] of Object.entries(SHARES))
      if (existsSync(join(cgroup, file))) await writeFile(join(cgroup, file), shares)
  }
}

/**
 * Where the chart libvirt puts its daemon and libvirt its guests, so that they outlive pods. A machine on which the first
 * is has no libvirt of its own: both would listen at the same place.
 */
const LIBVIRT = '/kk-libvirt'
const GUESTS = '/machine'

/** Where the chart rbd-provisioner puts each ceph-fuse, by which pods have their volumes. */
const VOLUMES = '/kk-volumes'

/** Ends every process in the node's cgroups, whoever started it, guests included, and removes the cgroups. */
export async function removeCgroup(): Promise<void> {
  for (const mount of await cgroupMounts()) {
    const withGuests = existsSync(join(mount, LIBVIRT))
    for (const cgroup of [CGROUP, VOLUMES, ...(withGuests ? [GUESTS, LIBVIRT] : [])])
      await removeTree(join(mount, cgroup))
  }
}

async function removeTree(root: string): Promise<void> {
  let refused: Error | undefined
  const isGone = async () => {
    const directories = await directoriesBelow(root)
    for (const directory of directories) await killAll(directory)
    refused = await removeDirectories(directories)
    return refused === undefined
  }
  const deadline = Date.now() + GONE_WITHIN_MILLISECONDS
  if (!(await pollUntil(isGone, {interval: 20, deadline}))) throw refused
}

/** Returns the directory and all below it, children first; none when there is no such directory. */
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

/** Removes the directories. Returns the first error, if any: a cgroup stays busy until its processes are gone. */
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
