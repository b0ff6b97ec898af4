import {hash} from 'node:crypto'
import type {Kysely, Transaction} from 'kysely'
import {KkError} from '../../../errors.ts'
import {type Cipher, isSealed} from '../cipher.ts'
import type {ChangedPlace, NextOverrides, OverrideChange, StoredOverrides} from '../store.ts'
import {runStatement, type Statements} from './statements.ts'
import {isoTime, type Row, type Tables} from './tables.ts'

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

/**
 * Writes what `next` makes of what stands there, with its entry in the history. What it throws as a `KkError`, as
 * `KK_STORE_CONFLICT` when somebody else has changed the row meanwhile, it throws before anything is written.
 */
export async function writeOverrides(
  db: Transaction<Tables>,
  {of, next}: Change,
  {statements, cipher}: Writing,
): Promise<StoredOverrides> {
  refuseLongNames(of)
  const {name, namespace} = of
  const now = new Date().toISOString()
  const present = await rowOf(db, statements, of)
  const before = present && storedOverrides(present, cipher)
  const {text, secret} = textOf({...next(before), name, namespace}, cipher)
  if (isSame(before, text, secret)) return before ?? neverThere(of, now)

  const raw = text === null || !secret ? text : cipher.seal(text, ['overrides', name, namespace])
  const deleted = text === null ? now : null
  const updated = present ? now : null
  const entry = entryOf({of, at: now, before, after: text, secret}, cipher)
  const {numAffectedRows} = present
    ? await runStatement(db, statements.replace, [
        updated,
        deleted,
        raw,
        name,
        namespace,
        // As the database writes it: somebody else may have changed it meanwhile.
        present.user_overrides,
      ])
    : await runStatement(db, statements.add, [name, namespace, now, updated, deleted, raw])
  if (numAffectedRows !== 1n) throw conflict(of)
  await runStatement(db, statements.record, entry)
  const created = present?.created_at ?? now
  const row = {
    name,
    namespace,
    created_at: created,
    updated_at: updated,
    deleted_at: deleted,
    user_overrides: raw,
  }
  return storedOverrides(row, cipher)
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

export async function rowOf(
  db: Kysely<Tables>,
  {find}: Statements,
  {name, namespace}: Place,
): Promise<Row | undefined> {
  return (await runStatement(db, find, [name, namespace])).rows[0]
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

function refuseLongNames({name, namespace}: Place): void {
  for (const each of [name, namespace])
    if (each === '' || each.length > LONGEST_NAME || each.includes('\0'))
      throw new KkError(
        'KK_USAGE',
        `expected names of 1 to ${LONGEST_NAME} characters for chart and namespace`,
      )
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
