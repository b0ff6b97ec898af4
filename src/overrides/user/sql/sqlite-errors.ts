import {type BigIntStats, statSync} from 'node:fs'
import {KkError} from '../../../base/errors.ts'

interface SqliteError extends Error {
  readonly code: string
  /** SQLite's extended result code; the lowest byte is the primary one. */
  readonly errcode?: number
}

const BUSY = 5
const READ_ONLY = 8
const CANNOT_OPEN = 14
const REASONS: Readonly<Record<number, readonly [reason: string, hint: string]>> = {
  [BUSY]: [
    'another process writes to it without an end',
    'see which one has the file open, with `fuser FILE`',
  ],
  6: ['another process writes to it without an end', 'see which one has the file open, with `fuser FILE`'],
  [READ_ONLY]: [
    'it may only be read',
    'give write permission for the file and its directory, or name another file',
  ],
  10: ['the disk does not read or write it', 'check the disk and that the file lies on this machine'],
  11: ['it is damaged', 'restore it from a backup'],
  13: ['the disk is full', 'make room; nothing was changed'],
  [CANNOT_OPEN]: [
    'it cannot be opened',
    'give write permission for the file and its directory, or name another file',
  ],
  26: ['it is not a database of SQLite', 'name another file'],
}

/** Returns an error of SQLite or of the file system as `KK_STORE_DATABASE`; any other as it is. */
export function explainSqlite(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof KkError) return error
  const {code, errcode, syscall} = error as SqliteError & NodeJS.ErrnoException
  if (errcode === undefined && syscall === undefined && error.message !== FOREIGN) return error
  const [reason, hint] = (errcode !== undefined && REASONS[errcode & 0xff]) || []
  const why = reason ?? (syscall === undefined ? error.message : `${syscall}: ${code}`)
  return new KkError('KK_STORE_DATABASE', `the override store ${path} cannot be used: ${why}`, {
    cause: error,
    hint: hint ?? 'give write permission for the file and its directory, or name another file',
  })
}

/** The message about a file that has tables, but none of kk's. */
export const FOREIGN = 'it holds the tables of another program'

/** Returns true if SQLite could not create a file that it needs next to the database. */
export function cannotCreateFile(error: unknown): boolean {
  const {errcode} = error as Partial<SqliteError>
  return errcode !== undefined && [READ_ONLY, CANNOT_OPEN].includes(errcode & 0xff)
}

/** Returns true if another connection holds the lock. */
export function isLocked(error: unknown): boolean {
  const {errcode} = error as Partial<SqliteError>
  return errcode !== undefined && (errcode & 0xff) === BUSY
}

/**
 * Returns a check that throws `KK_STORE_DATABASE` once the path, or that of SQLite's log next to it, refers
 * to another file than at first, or to none: SQLite would continue to read and write the open file, which no
 * other process could find.
 */
export function expectSameFile(path: string): () => void {
  const log = `${path}-wal`
  const opened = readStatus(path)
  let openedLog: BigIntStats | undefined
  return () => {
    expectSame(path, {file: path, opened, logStatus: readStatus(path)})
    // SQLite creates it when it first reads or writes, and keeps it while any process has the database open.
    const logStatus = readStatus(log)
    openedLog ??= logStatus
    if (openedLog) expectSame(path, {file: log, opened: openedLog, logStatus})
  }
}

interface Seen {
  readonly file: string
  readonly opened: BigIntStats | undefined
  readonly logStatus: BigIntStats | undefined
}

function expectSame(path: string, {file, opened, logStatus}: Seen): void {
  if (logStatus && opened && logStatus.ino === opened.ino && logStatus.dev === opened.dev) return
  const what = file === path ? 'the file' : `its log ${file}`
  throw new KkError(
    'KK_STORE_DATABASE',
    `the override store ${path} cannot be used: ${what} was ${logStatus ? 'replaced by another' : 'removed'} while kk had it open`,
    {hint: 'restore it, or restart kk, which then uses the present file'},
  )
}

function readStatus(path: string): BigIntStats | undefined {
  return statSync(path, {bigint: true, throwIfNoEntry: false})
}
