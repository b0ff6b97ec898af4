import {type BigIntStats, statSync} from 'node:fs'
import {KkError} from '../../../../errors.ts'

/**
 * Gives what throws `KK_STORE_DATABASE` once the path, or that of SQLite's log beside it, leads to another file than it did
 * first, or to none: what is open would be read and written still, but nobody would ever find it again.
 */
export function expectSameFile(path: string): () => void {
  const log = `${path}-wal`
  const opened = statusOf(path)
  let openedLog: BigIntStats | undefined
  return () => {
    expectSame(path, {file: path, opened, there: statusOf(path)})
    // SQLite makes it when it first reads or writes, and keeps it while anybody has the database open.
    const there = statusOf(log)
    openedLog ??= there
    if (openedLog) expectSame(path, {file: log, opened: openedLog, there})
  }
}

interface Seen {
  readonly file: string
  readonly opened: BigIntStats | undefined
  readonly there: BigIntStats | undefined
}

function expectSame(path: string, {file, opened, there}: Seen): void {
  if (there && opened && there.ino === opened.ino && there.dev === opened.dev) return
  const what = file === path ? 'the file' : `its log ${file}`
  throw new KkError(
    'KK_STORE_DATABASE',
    `the store of overrides ${path} cannot be used: ${what} was ${there ? 'replaced by another' : 'removed'} while kk had it open`,
    {hint: 'put it back where it was, or start kk again, which then works with what is there'},
  )
}

function statusOf(path: string): BigIntStats | undefined {
  return statSync(path, {bigint: true, throwIfNoEntry: false})
}
