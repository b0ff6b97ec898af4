import {KkError} from '../../../../errors.ts'

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

/** An error of SQLite or of the file system as `KK_STORE_DATABASE`; any other as it is. */
export function explainSqlite(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof KkError) return error
  const {code, errcode, syscall} = error as SqliteError & NodeJS.ErrnoException
  if (errcode === undefined && syscall === undefined && error.message !== FOREIGN) return error
  const [reason, hint] = (errcode !== undefined && REASONS[errcode & 0xff]) || []
  const why = reason ?? (syscall === undefined ? error.message : `${syscall}: ${code}`)
  return new KkError('KK_STORE_DATABASE', `the store of overrides ${path} cannot be used: ${why}`, {
    cause: error,
    hint: hint ?? 'give write permission for the file and its directory, or name another file',
  })
}

/** What is said of a file that has tables, but none of kk's. */
export const FOREIGN = 'it holds the tables of another program'

/** Whether SQLite could not make a file that it needs beside the database. */
export function cannotBeMade(error: unknown): boolean {
  const {errcode} = error as Partial<SqliteError>
  return errcode !== undefined && [READ_ONLY, CANNOT_OPEN].includes(errcode & 0xff)
}

export function isLocked(error: unknown): boolean {
  const {errcode} = error as Partial<SqliteError>
  return errcode !== undefined && (errcode & 0xff) === BUSY
}
