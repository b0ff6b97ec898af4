import {createHash} from 'node:crypto'
import {lstat, readdir, readFile, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {isRunning, type ProcessIdentity} from '../processes/process-identity.ts'
import {thisProcess} from '../processes/process-place.ts'

/** `<prefix><pid>-<start>-<place>-`, then what `mkdtemp` adds: so it can be told later whose a directory was. */
const NAME = /^kk-[a-z]+-(\d+)-(\d+)-([0-9a-f]{16})-\w{6}$/

/** Directories are named after the process that makes them. */
export interface Owner {
  /** What stands in a name behind its prefix. */
  readonly mark: string
  /** Of everything that decides whether one process can see another. */
  readonly place: string
}

/** This process; undefined where nothing could be proved of it when it is gone. */
export async function thisOwner(): Promise<Owner | undefined> {
  const {pid, started, ...where} = await thisProcess()
  if (started === undefined || where.boot === undefined || where.pids === undefined) return undefined
  const text = JSON.stringify([where.host, where.machine, where.boot, where.pids, where.user])
  const place = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return {mark: `${pid}-${started}-${place}-`, place}
}

/**
 * Removes the temporary directories of this user's processes that are provably gone, killed before they could do so
 * themselves. One that a command line still names stays: a helm may have outlived its kk. Never throws.
 */
export async function removeAbandoned(parent: string, {place}: Owner): Promise<void> {
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

/** The temp folder is everyone's: a name proves nothing. */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

async function isNamed(entry: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.some((line) => line.includes(entry))
}
