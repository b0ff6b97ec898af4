import type {Kysely} from 'kysely'
import {KkError} from '../../../../errors.ts'
import type {Cipher} from '../../cipher.ts'
import type {StoredOverrides} from '../../store.ts'
import type {Row, Tables} from '../tables.ts'
import type {Outcome} from '../together.ts'
import type {Place, Statements} from './statements.ts'
import {storedOverrides} from './stored-row.ts'

const LONGEST_NAME = 255

/** So many at once; more would be more values than a statement takes. */
export const MOST_AT_ONCE = 100

/** What rows are read and written with. */
export interface Means {
  readonly statements: Statements
  readonly cipher: Cipher
}

/** What stands at each of these places, each at its own. */
export async function readOverrides(
  db: Kysely<Tables>,
  places: readonly Place[],
  {statements, cipher}: Means,
): Promise<readonly Outcome<StoredOverrides | undefined>[]> {
  const rows = await rowsAt(db, statements, places)
  return places.map((place) => () => {
    const row = rows.get(keyOf(place))
    return row && storedOverrides(row, cipher)
  })
}

/** By `keyOf`. What cannot be a name is not asked for: a database may take it for an error. */
export async function rowsAt(
  db: Kysely<Tables>,
  {find}: Statements,
  places: readonly Place[],
): Promise<ReadonlyMap<string, Row>> {
  const named = places.filter(isNamed)
  if (named.length === 0) return new Map()
  const {rows} = await db.executeQuery(find(named))
  return new Map(rows.map((row) => [keyOf(row), row]))
}

export function keyOf({name, namespace}: Place): string {
  return JSON.stringify([name, namespace])
}

/** Whether chart and namespace have names that a store takes, of 1 to 255 characters. */
export function isNamed({name, namespace}: Place): boolean {
  return [name, namespace].every((each) => each !== '' && each.length <= LONGEST_NAME && !each.includes('\0'))
}

/** Throws `KK_USAGE`. */
export function expectNamed(place: Place): void {
  if (isNamed(place)) return
  throw new KkError('KK_USAGE', `expected names of 1 to ${LONGEST_NAME} characters for chart and namespace`)
}
