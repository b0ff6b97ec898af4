import {readFile, readlink} from 'node:fs/promises'
import {hostname} from 'node:os'
import {identifyProcess, isRunning, type ProcessIdentity} from './process-identity.ts'

/** The place of a process. Another process can see whether it still runs only if all fields are equal. */
export interface ProcessPlace {
  readonly host: string
  /** The content of `/etc/machine-id`, because two machines may have the same host name. */
  readonly machine?: string
  /** The boot id, new at every start of the machine. */
  readonly boot?: string
  /** The PID namespace: containers of one machine do not see each other's processes. */
  readonly pids?: string
  /** The user id: processes of other users may be hidden, and their environment cannot be read. */
  readonly user?: number
  /** The pod that runs the process, if known: when the pod has ended, so have its processes. */
  readonly pod?: PodIdentity
}

/** A pod; a later pod with the same name has another uid. */
export interface PodIdentity {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** The environment variables that identify the pod that runs kk, with the pod fields that they hold. */
export const POD_VARIABLES = {
  KK_POD_NAMESPACE: 'metadata.namespace',
  KK_POD_NAME: 'metadata.name',
  KK_POD_UID: 'metadata.uid',
} as const

/** A process with its place, for readers that may run in another place. */
export interface PlacedProcess extends ProcessIdentity, ProcessPlace {}

/**
 * The state of a process. `gone`: it has provably ended. `unseen`: its state cannot be determined from here.
 */
export type ProcessState = 'running' | 'gone' | 'unseen'

/** Returns the place of this process. */
export async function thisPlace(): Promise<ProcessPlace> {
  const [machine, boot, pids] = await Promise.all([
    readTrimmed('/etc/machine-id'),
    readTrimmed('/proc/sys/kernel/random/boot_id'),
    readlink('/proc/self/ns/pid').catch(() => undefined),
  ])
  const user = process.getuid?.()
  const pod = thisPod()
  return {
    host: hostname(),
    ...(machine && {machine}),
    ...(boot && {boot}),
    ...(pids && {pids}),
    ...(user !== undefined && {user}),
    ...(pod && {pod}),
  }
}

function thisPod(): PodIdentity | undefined {
  const {KK_POD_NAMESPACE: namespace, KK_POD_NAME: name, KK_POD_UID: uid} = process.env
  return namespace && name && uid ? {namespace, name, uid} : undefined
}

export async function thisProcess(): Promise<PlacedProcess> {
  const [place, identity] = await Promise.all([thisPlace(), identifyProcess(process.pid)])
  return {...place, ...(identity ?? {pid: process.pid})}
}

/**
 * The initial PID namespace: PROC_PID_INIT_INO of the kernel. The numbers of containers' namespaces are
 * reused.
 */
const FIRST_PIDS = 'pid:[4026531836]'

/**
 * Compares a place with this one. `before`: the same machine before its last boot; its processes have ended.
 */
export function relationOf(place: ProcessPlace, here: ProcessPlace): 'here' | 'before' | 'elsewhere' {
  const same = (key: keyof ProcessPlace) => place[key] !== undefined && place[key] === here[key]
  if (!same('host')) return 'elsewhere'
  if (same('boot')) return same('pids') && same('user') ? 'here' : 'elsewhere'
  const isRestarted = place.boot !== undefined && here.boot !== undefined
  const isMachine = same('machine') && place.pids === FIRST_PIDS && here.pids === FIRST_PIDS
  return isRestarted && isMachine ? 'before' : 'elsewhere'
}

/** Returns the state of a process, as far as it can be determined from here. */
export async function readProcessState(process: PlacedProcess): Promise<ProcessState> {
  const relation = relationOf(process, await thisPlace())
  if (relation === 'before') return 'gone'
  if (relation === 'elsewhere' || process.started === undefined) return 'unseen'
  return (await isRunning(process)) ? 'running' : 'gone'
}

async function readTrimmed(path: string): Promise<string | undefined> {
  return (await readFile(path, 'utf8').catch(() => '')).trim() || undefined
}
