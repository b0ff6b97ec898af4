import {createHash} from 'node:crypto'
import {lstat, readdir, readFile, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {isRunning, type ProcessIdentity} from '../processes/process-identity.ts'
import {thisProcess} from '../processes/process-place.ts'

/**
 * The name of a temporary directory: `<prefix><pid>-<start>-<place>-` and the suffix of `mkdtemp`. It
 * identifies the process that created the directory.
 */
const NAME = /^kk-[a-z]+-(\d+)-(\d+)-([0-9a-f]{16})-\w{6}$/

/** The process that creates temporary directories, as their names identify it. */
export interface Owner {
  /** The part of a directory's name after the prefix. */
  readonly mark: string
  /** The digest of all properties that decide whether one process can see another. */
  readonly place: string
}

/** Returns this process as an owner; undefined if a later process could not prove that it has ended. */
export async function thisOwner(): Promise<Owner | undefined> {
  const {pid, started, ...location} = await thisProcess()
  if (started === undefined || location.boot === undefined || location.pids === undefined) return undefined
  const text = JSON.stringify([location.host, location.machine, location.boot, location.pids, location.user])
  const place = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return {mark: `${pid}-${started}-${place}-`, place}
}

/**
 * Removes the temporary directories of this user's processes that have provably ended without cleaning up. A
 * directory that a command line still names is kept, because a helm process may have outlived its kk. Never
 * throws.
 */
export async function removeLeftovers(parent: string, {place}: Owner): Promise<void> {
  const entries = await readdir(parent).catch(() => [])
  for (const entry of entries) {
    const owner = parseOwner(entry, place)
    if (owner === undefined || (await isRunning(owner))) continue
    const path = join(parent, entry)
    if (!(await isOwn(path)) || (await isNamed(entry))) continue
    await rm(path, {recursive: true, force: true}).catch(() => undefined)
  }
}

function parseOwner(entry: string, place: string): ProcessIdentity | undefined {
  const [, pid, started, digest] = NAME.exec(entry) ?? []
  if (pid === undefined || started === undefined || digest !== place) return undefined
  return {pid: Number(pid), started}
}

/**
 * Returns true for a directory of this user. The temp folder is shared by all users, so a name proves
 * nothing.
 */
async function isOwn(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined)
  return status?.isDirectory() === true && status.uid === process.getuid?.()
}

async function isNamed(entry: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.some((line) => line.includes(entry))
}
