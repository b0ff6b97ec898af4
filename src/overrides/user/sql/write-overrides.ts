import {hash} from 'node:crypto'
import type {Kysely, Transaction} from 'kysely'
import {KkError} from '../../../errors.ts'
import {type Cipher, isSealed} from '../cipher.ts'
import type {ChangedPlace, NextOverrides, OverrideChange, StoredOverrides} from '../store.ts'
import {runStatement, type Statements} from './statements.ts'
import {isoTime, type Row, type Tables} from './tables.ts'
import {type Outcome, refused} from './together.ts'

const LONGEST_NAME = 255

/** A row as the store shows it. */
export function storedOverrides(row: Row, cipher: Cipher): StoredOverrides {
  const raw = row.user_overrides
  return {
    name: row.name,
    namespace: row.namespace,
    userOverrides: raw === null ? null : cipher.open(raw, ['overrides', row.name, row.namespace]),
    etag: etagOf(raw),
    sealed: raw !== null && isSealed(raw) ? raw : undefined,
    createdAt: isoTime(row.created_at),
    updatedAt: row.updated_at === null ? null : isoTime(row.updated_at),
    deletedAt: row.deleted_at === null ? null : isoTime(row.deleted_at),
  }
}

type Place = Pick<OverrideChange, 'name' | 'namespace'>

export interface Change {
  readonly of: ChangedPlace
  readonly next: (current: StoredOverrides | undefined) => NextOverrides
}

interface Writing {
  readonly statements: Statements
  readonly cipher: Cipher
}

/** So many changes at once; more would be more values than a statement takes. */
export const MOST_CHANGES = 100

/**
 * Writes what each change makes of what stands there then, one after the other, with the entries in the history. What a
 * change throws as a `KkError` is its outcome, and nothing of it is written. Nobody else may write meanwhile.
 */
export async function writeOverrides(
  db: Transaction<Tables>,
  changes: readonly Change[],
  {statements, cipher}: Writing,
): Promise<readonly Outcome<StoredOverrides>[]> {
  const now = new Date().toISOString()
  const rows = await rowsOf(db, statements, changes.map(({of}) => of).filter(isNamed))
  const present = new Map(rows.map((row) => [keyOf(row), row]))
  const written = new Map<string, Row>()
  const entries: (readonly (string | null)[])[] = []
  const outcomes = changes.map((change) => {
    const key = keyOf(change.of)
    try {
      const {stored, row, entry} = changed(written.get(key) ?? present.get(key), change, {now, cipher})
      if (row) written.set(key, row)
      if (entry) entries.push(entry)
      return () => stored
    } catch (error) {
      if (error instanceof KkError) return refused(error)
      throw error
    }
  })
  if (entries.length > 0) {
    const values = [...written.values()].flatMap(valuesOf)
    await runStatement(db, statements.write(written.size), values)
    await runStatement(db, statements.record(entries.length), entries.flat())
  }
  return outcomes
}

interface Changed {
  readonly stored: StoredOverrides
  /** With `row`, what the history says of it; both undefined where nothing changes. */
  readonly entry?: readonly (string | null)[]
  readonly row?: Row
}

function changed(
  present: Row | undefined,
  {of, next}: Change,
  {now, cipher}: {readonly now: string; readonly cipher: Cipher},
): Changed {
  refuseNames(of)
  const {name, namespace} = of
  const before = present && storedOverrides(present, cipher)
  const {text, secret} = textOf({...next(before), name, namespace}, cipher)
  if (isSame(before, text, secret)) return {stored: before ?? neverThere(of, now)}
  const row: Row = {
    name,
    namespace,
    created_at: present?.created_at ?? now,
    updated_at: present ? now : null,
    deleted_at: text === null ? now : null,
    user_overrides: text === null || !secret ? text : cipher.seal(text, ['overrides', name, namespace]),
  }
  const entry = entryOf({of, at: now, before, after: text, secret}, cipher)
  return {stored: storedOverrides(row, cipher), row, entry}
}

function valuesOf(row: Row): readonly (string | null)[] {
  const {name, namespace, created_at, updated_at, deleted_at, user_overrides} = row
  const time = (value: Date | string | null) => (value === null ? null : isoTime(value))
  return [name, namespace, time(created_at), time(updated_at), time(deleted_at), user_overrides]
}

/** A change that was made from a certain state. Throws `KK_STORE_CONFLICT` upon another. */
export function changeFrom(change: OverrideChange): Change {
  return {
    of: change,
    next(current) {
      refuseOtherState(change, current)
      return change
    },
  }
}

/** What stands at these places, in any order. */
export async function rowsOf(
  db: Kysely<Tables>,
  {find}: Statements,
  places: readonly Place[],
): Promise<readonly Row[]> {
  if (places.length === 0) return []
  return runStatement(
    db,
    find(places.length),
    places.flatMap(({name, namespace}) => [name, namespace]),
  )
}

function keyOf({name, namespace}: Place): string {
  return JSON.stringify([name, namespace])
}

interface Entry {
  readonly of: ChangedPlace
  readonly at: string
  readonly before: StoredOverrides | undefined
  readonly after: string | null
  readonly secret: boolean
}

/** What the history says of a change. */
function entryOf({of, at, before, after, secret}: Entry, cipher: Cipher) {
  const {name, namespace, who} = of
  const kept = (text: string | null, part: 'before' | 'after', sealed: boolean) =>
    text !== null && sealed ? cipher.seal(text, ['audit', name, namespace, at, part]) : text
  return [
    at,
    who,
    name,
    namespace,
    kept(before?.userOverrides ?? null, 'before', before?.sealed !== undefined),
    kept(after, 'after', secret),
  ]
}

function isNamed({name, namespace}: Place): boolean {
  return [name, namespace].every((each) => each !== '' && each.length <= LONGEST_NAME && !each.includes('\0'))
}

function refuseNames(place: Place): void {
  if (isNamed(place)) return
  throw new KkError('KK_USAGE', `expected names of 1 to ${LONGEST_NAME} characters for chart and namespace`)
}

function refuseOtherState(change: OverrideChange, present: StoredOverrides | undefined): void {
  const nothing = present === undefined || present.userOverrides === null
  const same = change.expected === undefined ? nothing : change.expected === present?.etag
  if (!same) throw conflict(change)
}

/** A text that comes encrypted proves by being opened that it belongs to this chart and namespace. */
function textOf(
  {userOverrides, secret, name, namespace}: Place & NextOverrides,
  cipher: Cipher,
): {readonly text: string | null; readonly secret: boolean} {
  if (userOverrides === null) return {text: null, secret: false}
  if (!isSealed(userOverrides)) return {text: userOverrides, secret}
  return {text: cipher.open(userOverrides, ['overrides', name, namespace]), secret: true}
}

function isSame(before: StoredOverrides | undefined, text: string | null, secret: boolean): boolean {
  if (text === null) return (before?.userOverrides ?? null) === null
  return before?.userOverrides === text && secret === (before.sealed !== undefined)
}

function neverThere({name, namespace}: Place, now: string): StoredOverrides {
  return {
    name,
    namespace,
    userOverrides: null,
    etag: etagOf(null),
    sealed: undefined,
    createdAt: now,
    updatedAt: null,
    deletedAt: now,
  }
}

function etagOf(raw: string | null): string {
  return hash('sha256', raw === null ? 'null' : `text ${raw}`).slice(0, 32)
}

function conflict({name, namespace}: Place): KkError {
  return new KkError(
    'KK_STORE_CONFLICT',
    `somebody else has changed the overrides of ${name} in ${namespace} meanwhile; nothing was written`,
    {hint: 'look at what they are now, and make the change again'},
  )
}
