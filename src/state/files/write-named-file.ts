import {randomUUID} from 'node:crypto'
import {constants, fstatSync, type Stats} from 'node:fs'
import {type FileHandle, open, readFile, readlink, realpath, rm, stat, writeFile} from 'node:fs/promises'
import {basename, dirname, isAbsolute, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {writeAtomically} from './write-atomically.ts'

interface WriteOptions {
  /** The permission bits of the file; defaults to 0600. */
  readonly mode?: number
}

type Target =
  | {readonly kind: 'file'; readonly path: string}
  | {readonly kind: 'device'; readonly path: string}
  | {readonly kind: 'stream'; readonly stream: NodeJS.WriteStream}

/**
 * Writes a file that the user names, whole or not at all; `-` is standard output. A link is followed. A
 * device or a FIFO is written to and never replaced. No directory is created because a missing one is a
 * typing error. Rejects with `KK_FILE`.
 */
export async function writeNamedFile(
  file: string,
  content: string,
  {mode = 0o600}: WriteOptions = {},
): Promise<void> {
  const target = await resolveTarget(file)
  try {
    if (target.kind === 'file') await writeAtomically(target.path, content, {mode})
    else if (target.kind === 'device') await writeDevice(target.path, content)
    else target.stream.write(content)
  } catch (cause) {
    throw unwritable(file, String((cause as NodeJS.ErrnoException).code), cause)
  }
}

/** Rejects with `KK_FILE` if the file exists with other content, which may hold edits. */
export async function expectNewOrSame(file: string, content: string): Promise<void> {
  if (!(await isPlainFile(file))) return
  const existing = await readFile(file, 'utf8').catch(() => undefined)
  if (existing === undefined || existing === content) return
  throw new KkError('KK_FILE', `${file} already exists with other content; nothing was written`, {
    hint: 'name another file, and compare the two; or remove that one',
  })
}

/** Rejects with `KK_FILE` if a file could not be written. Leaves nothing behind. */
export async function expectWritable(file: string): Promise<void> {
  const target = await resolveTarget(file)
  if (target.kind !== 'file') return
  const directory = dirname(target.path)
  await tryToWrite(directory).catch((cause) => {
    throw unwritable(file, `you may not write to the directory ${directory}`, cause)
  })
}

/**
 * Returns true if the name is of a regular file or of a new one; false for a device, a FIFO or standard
 * output.
 */
export async function isPlainFile(file: string): Promise<boolean> {
  return (await resolveTarget(file)).kind === 'file'
}

async function resolveTarget(file: string): Promise<Target> {
  if (file === '-') return {kind: 'stream', stream: process.stdout}
  const status = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw unwritable(file, String(cause.code), cause)
  })
  if (status?.isDirectory()) throw unwritable(file, 'it is a directory')
  const stream = status && ownStream(status)
  if (stream) return {kind: 'stream', stream}
  if (status && !status.isFile()) return {kind: 'device', path: file}
  return {kind: 'file', path: await resolveLinks(file, file)}
}

/**
 * Returns this process's stream if the file is `/dev/stdout` or `/dev/stderr`. Opening the device again would
 * write a file from its start, and fails for a socket.
 */
function ownStream({dev, ino}: Stats): NodeJS.WriteStream | undefined {
  const isSame = (fd: number) => {
    const own = fstatSync(fd)
    return own.dev === dev && own.ino === ino
  }
  if (isSame(1)) return process.stdout
  return isSame(2) ? process.stderr : undefined
}

/** Resolves a path over links. The target of the last link may be missing. */
async function resolveLinks(path: string, file: string): Promise<string> {
  const above = dirname(path)
  // The dot makes `realpath` fail if the parent is a file.
  const directory = await realpath(`${above}/.`).catch((cause) => {
    throw unwritable(file, `there is no directory ${above}`, cause)
  })
  const link = await readlink(join(directory, basename(path))).catch(() => undefined)
  if (link === undefined) return join(directory, basename(path))
  return resolveLinks(isAbsolute(link) ? link : `${directory}/${link}`, file)
}

/**
 * Rejects if no file can be created in the directory. Permissions are not sufficient: root may write
 * everywhere, but not on a read-only file system.
 */
async function tryToWrite(directory: string): Promise<void> {
  const probe = join(directory, `.kk.${randomUUID()}`)
  await writeFile(probe, '', {flag: 'wx'})
  await rm(probe)
}

function unwritable(file: string, why: string, cause?: unknown): KkError {
  return new KkError('KK_FILE', `${file} cannot be written (${why})`, {
    cause,
    hint: 'name a file in a directory that exists and that you may write to',
  })
}

const FIFO_POLL_INTERVAL_MS = 50

/** Writes to a device, or to a FIFO as soon as it has a reader. */
async function writeDevice(path: string, content: string): Promise<void> {
  const handle = await openOnceRead(path)
  try {
    await writeFile(path, content, {flag: constants.O_WRONLY})
  } finally {
    await handle.close()
  }
}

/**
 * Opens a FIFO as soon as it has a reader. A blocking open would occupy a thread of Node permanently, and
 * only SIGKILL could end kk.
 */
async function openOnceRead(path: string): Promise<FileHandle> {
  const opened = () =>
    open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENXIO') throw error
      return undefined
    })
  return (await pollUntil(opened, {interval: FIFO_POLL_INTERVAL_MS}))!
}
