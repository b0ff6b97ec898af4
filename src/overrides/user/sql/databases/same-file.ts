import {type BigIntStats, statSync} from 'node:fs'
import {KkError} from '../../../../errors.ts'

/**
 * Gives what throws `KK_STORE_DATABASE` once the path leads to another file than now, or to none: what is open would be
 * read and written still, but nobody would ever find it again.
 */
export function expectSameFile(path: string): () => void {
  const opened = statusOf(path)
  return () => {
    const there = statusOf(path)
    if (there && opened && there.ino === opened.ino && there.dev === opened.dev) return
    throw new KkError(
      'KK_STORE_DATABASE',
      `the store of overrides ${path} cannot be used: the file was ${there ? 'replaced by another' : 'removed'} while kk had it open`,
      {hint: 'put it back where it was, or start kk again, which then works with what is there'},
    )
  }
}

function statusOf(path: string): BigIntStats | undefined {
  return statSync(path, {bigint: true, throwIfNoEntry: false})
}
