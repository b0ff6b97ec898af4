import type {Transaction} from 'kysely'
import {KkError} from '../../../../errors.ts'
import {isSealed} from '../../cipher.ts'
import {withKeyToGive} from '../../keys.ts'
import type {StoredOverrides} from '../../store.ts'
import {isoTime, type Row, type Tables} from '../tables.ts'
import {type Outcome, refused} from '../together.ts'
import {type Change, changed} from './change.ts'
import {keyOf, type Means, rowsAt} from './read-overrides.ts'
import {expectOneKeyring, holdsSealed} from './sealed.ts'
import type {WrittenEntry, WrittenRow} from './statements.ts'

/**
 * Writes what each change makes of what stands there then, one after the other, with the entries in the history. What a
 * change throws as a `KkError` is its outcome, and nothing of it is written. Nobody else may write meanwhile.
 */
export async function writeOverrides(
  db: Transaction<Tables>,
  changes: readonly Change[],
  {statements, cipher}: Means,
): Promise<readonly Outcome<StoredOverrides>[]> {
  const now = new Date().toISOString()
  const places = changes.map(({of}) => of)
  const present = await rowsAt(db, statements, places)
  const written = new Map<string, Row>()
  const entries: WrittenEntry[] = []
  const outcomes: Outcome<StoredOverrides>[] = []
  for (const change of changes) {
    const key = keyOf(change.of)
    try {
      const {stored, row, entry} = changed(written.get(key) ?? present.get(key), change, {now, cipher})
      if (row) written.set(key, row)
      if (entry) entries.push(entry)
      outcomes.push(() => stored)
    } catch (error) {
      if (!(error instanceof KkError)) throw error
      outcomes.push(refused(await withAdvice(db, error)))
    }
  }
  if (entries.length > 0) {
    const rows = [...written.values()].map(writtenRow)
    for (const statement of statements.write(rows, entries)) await db.executeQuery(statement)
    if (entries.some(({after}) => after !== null && isSealed(after))) await expectOneKeyring(db, cipher)
  }
  return outcomes
}

function writtenRow({created_at, updated_at, deleted_at, ...row}: Row): WrittenRow {
  const time = (value: Date | string | null) => (value === null ? null : isoTime(value))
  return {
    ...row,
    created_at: isoTime(created_at),
    updated_at: time(updated_at),
    deleted_at: time(deleted_at),
  }
}

/** Where something is encrypted already, its key is to be given: one that is made now would not open it. */
async function withAdvice(db: Transaction<Tables>, error: KkError): Promise<KkError> {
  return error.code === 'KK_STORE_KEY' && (await holdsSealed(db)) ? withKeyToGive(error) : error
}
