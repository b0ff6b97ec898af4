import {mkdir, readFile, rmdir, stat, statfs} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {asKkError} from '../../../base/errors.ts'
import {findSandbox} from '../../running.ts'
import {cgroupMounts} from '../host/cgroups.ts'
import {DNS_PORT, KUBELET_PORT, REGISTRY_PORT} from '../network.ts'
import {type NodePaths, nodePaths} from '../paths.ts'
import {nodeTools} from '../tools.ts'
import type {Finding} from './finding.ts'
import {checkKernel} from './kernel.ts'
import {checkNeighbours} from './neighbours.ts'
import {checkPrograms} from './programs.ts'

/** Checks whether the node can run on this machine, with advice on problems. The checks change nothing. */
export async function examineMachine(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Finding[]> {
  if (process.platform !== 'linux') return [notLinux()]
  const paths = nodePaths(env)
  const programs = checkPrograms()
  const groups = await Promise.all([
    checkRoot(),
    programs,
    checkToolbox(env),
    checkCgroups(),
    checkKernel(paths.home, programs.level === 'ok'),
    checkMemory(),
    checkDisk(paths.home),
    checkPath(paths),
    // A running node holds its own ports and network.
    ...((await findSandbox(paths)).state === 'running'
      ? [nodeRuns()]
      : [checkPorts(), checkNeighbours(paths.home)]),
  ])
  return groups.flat()
}

function notLinux(): Finding {
  return {
    check: 'system',
    level: 'problem',
    what: `the node needs Linux, and this is ${process.platform}`,
    advice: 'use a Linux machine, or your own cluster with --kubeconfig and --context',
  }
}

function checkRoot(): Finding {
  if (process.getuid?.() === 0) return {check: 'root', level: 'ok', what: 'kk runs as root'}
  return {
    check: 'root',
    level: 'problem',
    what: 'kk does not run as root, but only root may create cgroups, mounts and network interfaces',
    advice: 'run kk with sudo',
  }
}

function nodeRuns(): Finding {
  return {check: 'node', level: 'ok', what: 'the node is running and uses its ports and its network itself'}
}

function checkToolbox(env: Readonly<Record<string, string | undefined>>): Finding {
  try {
    nodeTools(env)
    return {
      check: 'toolbox',
      level: 'ok',
      what: 'Kubernetes, etcd, CoreDNS and the node helpers are built',
    }
  } catch (error) {
    const {message, hint} = asKkError(error)
    return {check: 'toolbox', level: 'problem', what: message, ...(hint && {advice: hint})}
  }
}

const GIB = 2 ** 30

/**
 * The GiB that the node alone needs (`least`), and that it needs for an OpenStack of a few services
 * (`enough`).
 */
const MEMORY = {least: 2, enough: 6}
const DISK = {least: 5, enough: 15}

/** The maximum length of a Unix socket path on Linux. */
const MAX_SOCKET_PATH = 107

async function checkMemory(): Promise<Finding> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const available = Number(/^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1]) * 1024
  return checkFreeSpace('memory', available, MEMORY, 'stop other programs, or use a larger machine')
}

/** Checks the disk that will hold the node's files. */
async function checkDisk(nodeDirectory: string): Promise<Finding> {
  const {bavail, bsize} = await statfs(await nearestExisting(nodeDirectory))
  return checkFreeSpace('disk', bavail * bsize, DISK, 'set XDG_STATE_HOME to a directory on a larger disk')
}

function checkPath({directory, containerdSocket}: NodePaths): Finding {
  const check = 'path'
  if (containerdSocket.length <= MAX_SOCKET_PATH)
    return {check, level: 'ok', what: `the node's files are in ${directory}`}
  return {
    check,
    level: 'problem',
    what: `${containerdSocket} is too long for a socket path: ${containerdSocket.length} of ${MAX_SOCKET_PATH} characters`,
    advice: 'set XDG_STATE_HOME to a shorter path',
  }
}

function checkFreeSpace(
  check: string,
  bytes: number,
  {least, enough}: {readonly least: number; readonly enough: number},
  advice: string,
): Finding {
  const what = `${(bytes / GIB).toFixed(1)} GiB free`
  if (bytes >= enough * GIB) return {check, level: 'ok', what}
  const shortage = `${what}; the node needs ${least} GiB, with OpenStack ${enough}`
  return {check, level: bytes < least * GIB ? 'problem' : 'warning', what: shortage, advice}
}

/** Returns the directory, or the nearest one above it that exists. */
async function nearestExisting(directory: string): Promise<string> {
  return stat(directory).then(
    () => directory,
    () => nearestExisting(dirname(directory)),
  )
}

/** The cgroup controllers that the kubelet needs. */
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids']

const UNIFIED = '/sys/fs/cgroup'

/** Checks that the controllers exist in either cgroup version, and that cgroups can be created. */
async function checkCgroups(): Promise<Finding> {
  const unified = await readFile(join(UNIFIED, 'cgroup.controllers'), 'utf8').catch(() => undefined)
  const [version, available] =
    unified === undefined ? [1, await mountedControllers()] : [2, unified.split(/\s+/)]
  const missing = CONTROLLERS.filter((name) => !available.includes(name))
  if (missing.length > 0) return missingControllers(version, missing)
  const failedMount = await probeCreation()
  if (failedMount !== undefined) return notWritable(failedMount)
  return {check: 'cgroups', level: 'ok', what: `version ${version}, with ${CONTROLLERS.join(', ')}`}
}

/** Returns the controllers of version 1, which are mounted one by one or a few together. */
async function mountedControllers(): Promise<string[]> {
  const text = await readFile('/proc/self/mounts', 'utf8')
  return text
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup')
    .flatMap(([, , , options]) => options?.split(',') ?? [])
}

async function probeCreation(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const mount of await cgroupMounts()) {
    const probe = join(mount, `kk-doctor-${process.pid}`)
    try {
      await mkdir(probe)
      await rmdir(probe)
    } catch {
      return mount
    }
  }
  return undefined
}

function missingControllers(version: number, missing: readonly string[]): Finding {
  return {
    check: 'cgroups',
    level: 'problem',
    what: `version ${version} without the controllers ${missing.join(', ')}`,
    advice:
      'start the kernel with cgroup_enable=cpuset,memory; inside a container, start it privileged with --cgroupns=host',
  }
}

function notWritable(mount: string): Finding {
  return {
    check: 'cgroups',
    level: 'problem',
    what: `no cgroup can be created in ${mount}`,
    advice: 'inside a container, start it privileged with a writable /sys/fs/cgroup',
  }
}

/** The fixed ports, which clients know by name or convention. */
const PORTS = [
  {
    port: DNS_PORT,
    table: 'tcp',
    what: 'DNS',
    advice: 'make your DNS server listen on its own addresses only (dnsmasq: bind-interfaces)',
  },
  {
    port: DNS_PORT,
    table: 'udp',
    what: 'DNS',
    advice: 'make your DNS server listen on its own addresses only (dnsmasq: bind-interfaces)',
  },
  {
    port: KUBELET_PORT,
    table: 'tcp',
    what: 'the kubelet',
    advice: 'stop the other Kubernetes on this machine',
  },
  {
    port: REGISTRY_PORT,
    table: 'tcp',
    what: 'the registry',
    advice: 'stop the program that listens there: ss --listening --processes',
  },
] as const

/** Local addresses in the kernel's notation: all addresses, and loopback. */
const ALL = ['00000000', '0'.repeat(32)]
const LOOPBACK = '0100007F'

/** The state of a listening socket in `/proc/net/tcp` and `/proc/net/udp`. */
const LISTENING = {tcp: '0A', udp: '07'} as const

/**
 * Checks for programs that listen on the ports of the node on all addresses, or on the registry's loopback
 * port.
 */
async function checkPorts(): Promise<readonly Finding[]> {
  const occupied = await Promise.all(
    PORTS.map(async (each) => ((await isTaken(each.table, each.port)) ? [each] : [])),
  )
  const problems = occupied.flat().map(
    ({port, table, what, advice}): Finding => ({
      check: 'ports',
      level: 'problem',
      what: `another program listens on port ${port} (${table}), which ${what} needs`,
      advice,
    }),
  )
  if (problems.length > 0) return problems
  return [{check: 'ports', level: 'ok', what: `${DNS_PORT}, ${REGISTRY_PORT} and ${KUBELET_PORT} are free`}]
}

async function isTaken(table: 'tcp' | 'udp', port: number): Promise<boolean> {
  const addresses = port === REGISTRY_PORT ? [...ALL, LOOPBACK] : ALL
  const texts = await Promise.all(
    [table, `${table}6`].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  )
  return texts
    .flatMap((text) => text.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTENING[table])
    .map(([, local = '']) => local.split(':'))
    .some(([address = '', hex = '']) => Number.parseInt(hex, 16) === port && addresses.includes(address))
}
