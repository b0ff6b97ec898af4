import {randomUUID} from 'node:crypto'
import {constants, fstatSync, type Stats} from 'node:fs'
import {type FileHandle, open, readFile, readlink, realpath, rm, stat, writeFile} from 'node:fs/promises'
import {basename, dirname, isAbsolute, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {writeAtomically} from './write-atomically.ts'

interface WriteOptions {
  /** The permission bits of the file; by default 0600. */
  readonly mode?: number
}

type Target =
  | {readonly kind: 'file'; readonly path: string}
  | {readonly kind: 'device'; readonly path: string}
  | {readonly kind: 'stream'; readonly stream: NodeJS.WriteStream}

/**
 * Writes a file that the user names, whole or not at all; `-` is standard output. A link is followed; a device or a
 * FIFO is written to and never replaced. No directory is made, for a missing one is a typing error. Rejects with
 * `KK_FILE`.
 */
export async function writeNamedFile(
  file: string,
  text: string,
  {mode = 0o600}: WriteOptions = {},
): Promise<void> {
  const target = await targetOf(file)
  try {
    if (target.kind === 'file') await writeAtomically(target.path, text, {mode})
    else if (target.kind === 'device') await writeDevice(target.path, text)
    else target.stream.write(text)
  } catch (cause) {
    throw unwritable(file, String((cause as NodeJS.ErrnoException).code), cause)
  }
}

/** Rejects with `KK_FILE` for a file that is there with another text: somebody may have edited it. */
export async function expectNewOrSame(file: string, text: string): Promise<void> {
  if (!(await isPlainFile(file))) return
  const there = await readFile(file, 'utf8').catch(() => undefined)
  if (there === undefined || there === text) return
  throw new KkError('KK_FILE', `${file} exists already, with another text; nothing was written`, {
    hint: 'name another file, and compare the two; or remove that one',
  })
}

/** Rejects with `KK_FILE` where a file could not be written. It leaves nothing behind. */
export async function expectWritable(file: string): Promise<void> {
  const target = await targetOf(file)
  if (target.kind !== 'file') return
  const directory = dirname(target.path)
  await tryToWrite(directory).catch((cause) => {
    throw unwritable(file, `you may not write to the directory ${directory}`, cause)
  })
}

/** Returns true where the name is of a file, or of one to be made, and not of a device, a FIFO or standard output. */
export async function isPlainFile(file: string): Promise<boolean> {
  return (await targetOf(file)).kind === 'file'
}

async function targetOf(file: string): Promise<Target> {
  if (file === '-') return {kind: 'stream', stream: process.stdout}
  const there = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw unwritable(file, String(cause.code), cause)
  })
  if (there?.isDirectory()) throw unwritable(file, 'it is a directory')
  const stream = there && ownStream(there)
  if (stream) return {kind: 'stream', stream}
  if (there && !there.isFile()) return {kind: 'device', path: file}
  return {kind: 'file', path: await followed(file, file)}
}

/**
 * Returns the stream that `/dev/stdout` or `/dev/stderr` stands for. If it were opened anew, a file would be written
 * from its start, and a socket not at all.
 */
function ownStream({dev, ino}: Stats): NodeJS.WriteStream | undefined {
  const isSame = (fd: number) => {
    const own = fstatSync(fd)
    return own.dev === dev && own.ino === ino
  }
  if (isSame(1)) return process.stdout
  return isSame(2) ? process.stderr : undefined
}

/** Returns the path to which a name leads over links. The last link may lead to nothing yet. */
async function followed(path: string, file: string): Promise<string> {
  const above = dirname(path)
  // The dot makes `realpath` fail where the path above is a file.
  const directory = await realpath(`${above}/.`).catch((cause) => {
    throw unwritable(file, `there is no directory ${above}`, cause)
  })
  const link = await readlink(join(directory, basename(path))).catch(() => undefined)
  if (link === undefined) return join(directory, basename(path))
  return followed(isAbsolute(link) ? link : `${directory}/${link}`, file)
}

/**
 * Rejects where no file can be made in a directory. Permissions do not tell: root may write everywhere, but not on a
 * read-only file system.
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

const PAUSE_MILLISECONDS = 50

/** Writes to a device, or to a FIFO once somebody reads it. */
async function writeDevice(path: string, text: string): Promise<void> {
  const held = await openOnceRead(path)
  try {
    await writeFile(path, text, {flag: constants.O_WRONLY})
  } finally {
    await held.close()
  }
}

/**
 * Opens a FIFO once it has a reader. A blocking open would hold a thread of node for good, and no signal but SIGKILL
 * could end kk.
 */
async function openOnceRead(path: string): Promise<FileHandle> {
  const opened = () =>
    open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENXIO') throw error
      return undefined
    })
  return (await pollUntil(opened, {interval: PAUSE_MILLISECONDS}))!
}
