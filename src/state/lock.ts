import {randomUUID} from 'node:crypto'
import {link, readFile, rm, writeFile} from 'node:fs/promises'
import {hostname} from 'node:os'
import {dirname} from 'node:path'
import {pollUntil} from '../base/poll.ts'
import {makeDirectory} from './files/make-directory.ts'
import {withWritableDirectory} from './files/writing-below.ts'
import {identifyProcess, isRunning, type ProcessIdentity} from './processes/process-identity.ts'

/** The process that holds a lock, as recorded in the lock file. */
export interface LockHolder extends ProcessIdentity {
  readonly host: string
  /** A random value that distinguishes two locks of one process. */
  readonly token: string
}

export interface Lock {
  release(): Promise<void>
}

interface LockOptions {
  /** Called once, if another process holds the lock. */
  readonly onWait?: (holder: LockHolder) => void
  readonly signal?: AbortSignal
}

const POLL_MILLISECONDS = 50

/** Runs `body` while no other process on this host holds the lock file. */
export async function withLock<T>(
  path: string,
  body: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const lock = await acquireLock(path, options)
  try {
    return await body()
  } finally {
    await lock.release()
  }
}

/**
 * Waits for the lock and returns it. Takes over a lock whose process has ended. Rejects with the signal's
 * reason if it aborts.
 */
export async function acquireLock(path: string, {onWait, signal}: LockOptions = {}): Promise<Lock> {
  let waited = false
  const take = async () => {
    const attempt = await tryLock(path)
    if ('release' in attempt) return attempt
    if (!waited && attempt.holder) onWait?.(attempt.holder)
    waited ||= attempt.holder !== undefined
    return undefined
  }
  return (await pollUntil(take, {interval: POLL_MILLISECONDS, signal}))!
}

/**
 * Takes the lock if it is free or abandoned; otherwise returns its holder, undefined if it was just released.
 */
export async function tryLock(path: string): Promise<Lock | {readonly holder: LockHolder | undefined}> {
  const own = await ownHolder()
  if (await create(path, own)) return {release: () => rm(path, {force: true})}

  const holder = await readHolder(path)
  if (holder && (await isAbandoned(holder)) && (await removeAbandoned(path, holder))) return tryLock(path)
  return {holder}
}

async function ownHolder(): Promise<LockHolder> {
  const identity = (await identifyProcess(process.pid)) ?? {pid: process.pid}
  return {...identity, host: hostname(), token: randomUUID()}
}

/**
 * Creates the lock file; returns false if it exists. The file appears with its content in one step, so no
 * reader sees it empty. Rejects with `KK_FILE`.
 */
async function create(path: string, holder: LockHolder): Promise<boolean> {
  const draft = `${path}.${holder.token}.draft`
  await makeDirectory(dirname(path))
  await withWritableDirectory({directory: dirname(path), variable: 'XDG_STATE_HOME'}, () =>
    writeFile(draft, JSON.stringify(holder), {flag: 'wx'}),
  )
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, {force: true})
  }
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as LockHolder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns true if the holder has provably ended. This cannot be proved for a process on another host. */
async function isAbandoned(holder: LockHolder): Promise<boolean> {
  return holder.host === hostname() && !(await isRunning(holder))
}

/**
 * Removes an abandoned lock. Two processes may find the same lock abandoned, and the slower one must not
 * remove the new lock of the faster one. So the removal takes a separate lock, named after the abandoned one,
 * and checks that the lock is still the abandoned one.
 */
async function removeAbandoned(path: string, abandoned: LockHolder): Promise<boolean> {
  const guard = await tryLock(`${path}.${abandoned.token}`)
  if (!('release' in guard)) return false
  try {
    if ((await readHolder(path))?.token !== abandoned.token) return false
    await rm(path)
    return true
  } finally {
    await guard.release()
  }
}
