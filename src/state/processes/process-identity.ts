import {readFile} from 'node:fs/promises'
import {processesStartedWith} from './started-with.ts'

/** The identity of a process; a later process with the same id has another one. */
export interface ProcessIdentity {
  readonly pid: number
  /** The start time in clock ticks since boot, from `/proc/<pid>/stat`; absent without `/proc`. */
  readonly started?: string
}

interface ProcessStat {
  /** The state as one letter of proc(5): `R`, `S`, `Z`, … */
  readonly state: string
  readonly started: string
}

/** Returns the identity of a running process; undefined if no process has this id. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform !== 'linux') return answers(pid) ? {pid} : undefined
  const stat = await processStat(pid)
  return stat && !hasEnded(stat) ? {pid, started: stat.started} : undefined
}

/** Returns true while the process of this identity runs. A zombie does not: it no longer holds resources. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid)
  return now !== undefined && now.started === identity.started
}

async function processStat(pid: number): Promise<ProcessStat | undefined> {
  try {
    return parseProcessStat(await readFile(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Returns fields 3 (state) and 22 (starttime) of proc(5). Field 2, the command, may contain blanks and
 * brackets.
 */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {state: fields[0] ?? '', started: fields[19] ?? ''}
}

function hasEnded(stat: ProcessStat): boolean {
  return stat.state === 'Z' || stat.state === 'X'
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns a running process that was started with this environment variable; undefined if there is none. */
export async function findProcess(variable: string, value: string): Promise<ProcessIdentity | undefined> {
  for (const pid of await processesStartedWith(variable, value)) {
    const identity = await identifyProcess(pid)
    if (identity) return identity
  }
  return undefined
}
