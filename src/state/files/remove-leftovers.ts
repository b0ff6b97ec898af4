import {createHash} from 'node:crypto'
import {lstat, readdir, readFile, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {isRunning, type ProcessIdentity} from '../processes/process-identity.ts'
import {thisProcess} from '../processes/process-place.ts'

/**
 * The name of a temporary directory: `<prefix><pid>-<start>-<place>-`, then what `mkdtemp` adds. It tells later which
 * process made the directory.
 */
const NAME = /^kk-[a-z]+-(\d+)-(\d+)-([0-9a-f]{16})-\w{6}$/

/** The process that makes temporary directories, as their names tell it. */
export interface Owner {
  /** The part of a directory's name behind the prefix. */
  readonly mark: string
  /** The digest of everything that decides whether one process can see another. */
  readonly place: string
}

/** Returns this process as an owner; undefined where a later process could not prove that it is gone. */
export async function thisOwner(): Promise<Owner | undefined> {
  const {pid, started, ...where} = await thisProcess()
  if (started === undefined || where.boot === undefined || where.pids === undefined) return undefined
  const text = JSON.stringify([where.host, where.machine, where.boot, where.pids, where.user])
  const place = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return {mark: `${pid}-${started}-${place}-`, place}
}

/**
 * Removes the temporary directories of this user's processes that are provably gone: killed before they could remove
 * them. A directory that a command line still names stays, for a helm may have outlived its kk. Never throws.
 */
export async function removeLeftovers(parent: string, {place}: Owner): Promise<void> {
  const entries = await readdir(parent).catch(() => [])
  for (const entry of entries) {
    const maker = makerOf(entry, place)
    if (maker === undefined || (await isRunning(maker))) continue
    const path = join(parent, entry)
    if (!(await isOwn(path)) || (await isNamed(entry))) continue
    await rm(path, {recursive: true, force: true}).catch(() => undefined)
  }
}

function makerOf(entry: string, place: string): ProcessIdentity | undefined {
  const [, pid, started, where] = NAME.exec(entry) ?? []
  if (pid === undefined || started === undefined || where !== place) return undefined
  return {pid: Number(pid), started}
}

/** Returns true for a directory of this user. The temp folder is shared by all users, so a name proves nothing. */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

async function isNamed(entry: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.some((line) => line.includes(entry))
}
