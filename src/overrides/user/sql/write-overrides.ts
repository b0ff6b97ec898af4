import {hash} from 'node:crypto'
import type {Kysely, Transaction} from 'kysely'
import {KkError} from '../../../errors.ts'
import {type Cipher, isSealed} from '../cipher.ts'
import type {OverrideChange, StoredOverrides} from '../store.ts'
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

interface Writing {
  readonly statements: Statements
  readonly cipher: Cipher
}

/** One change with its entry in the history. Rejects with `KK_STORE_CONFLICT` when it was made from something else. */
export async function writeOverrides(
  db: Transaction<Tables>,
  change: OverrideChange,
  {statements, cipher}: Writing,
): Promise<StoredOverrides> {
  refuseLongNames(change)
  const now = new Date().toISOString()
  const present = await rowOf(db, statements, change)
  refuseOtherState(change, present)

  const {name, namespace} = change
  const before = present && storedOverrides(present, cipher)
  const {text, secret} = textOf(change, cipher)
  if (isSame(before, text, secret)) return before ?? neverThere(change, now)

  const raw = text === null || !secret ? text : cipher.seal(text, ['overrides', name, namespace])
  const deleted = text === null ? now : null
  const content = {updated_at: present ? now : null, deleted_at: deleted, user_overrides: raw}
  const row = {name, namespace, created_at: present?.created_at ?? now, ...content}
  const {numAffectedRows} = present
    ? await runStatement(db, statements.replace, [
        content.updated_at,
        deleted,
        raw,
        name,
        namespace,
        // As the database writes it: somebody else may have changed it meanwhile.
        present.user_overrides,
      ])
    : await runStatement(db, statements.add, [name, namespace, now, content.updated_at, deleted, raw])
  if (numAffectedRows !== 1n) throw conflict(change)
  await addEntry(db, {change, at: now, before, after: text, secret}, {statements, cipher})
  return storedOverrides(row, cipher)
}

export async function rowOf(
  db: Kysely<Tables>,
  {find}: Statements,
  {name, namespace}: Pick<OverrideChange, 'name' | 'namespace'>,
): Promise<Row | undefined> {
  return (await runStatement(db, find, [name, namespace])).rows[0]
}

interface Entry {
  readonly change: OverrideChange
  readonly at: string
  readonly before: StoredOverrides | undefined
  readonly after: string | null
  readonly secret: boolean
}

async function addEntry(
  db: Transaction<Tables>,
  {change, at, before, after, secret}: Entry,
  {statements, cipher}: Writing,
): Promise<void> {
  const {name, namespace, who} = change
  const kept = (text: string | null, part: 'before' | 'after', sealed: boolean) =>
    text !== null && sealed ? cipher.seal(text, ['audit', name, namespace, at, part]) : text
  await runStatement(db, statements.record, [
    at,
    who,
    name,
    namespace,
    kept(before?.userOverrides ?? null, 'before', before?.sealed !== undefined),
    kept(after, 'after', secret),
  ])
}

function refuseLongNames({name, namespace}: OverrideChange): void {
  for (const each of [name, namespace])
    if (each === '' || each.length > LONGEST_NAME || each.includes('\0'))
      throw new KkError(
        'KK_USAGE',
        `expected names of 1 to ${LONGEST_NAME} characters for chart and namespace`,
      )
}

function refuseOtherState(change: OverrideChange, present: Row | undefined): void {
  const nothing = present === undefined || present.user_overrides === null
  const same =
    change.expected === undefined ? nothing : present && change.expected === etagOf(present.user_overrides)
  if (!same) throw conflict(change)
}

/** A text that comes encrypted proves by being opened that it belongs to this chart and namespace. */
function textOf({userOverrides, secret, name, namespace}: OverrideChange, cipher: Cipher) {
  if (userOverrides === null) return {text: null, secret: false}
  if (!isSealed(userOverrides)) return {text: userOverrides, secret}
  return {text: cipher.open(userOverrides, ['overrides', name, namespace]), secret: true}
}

function isSame(before: StoredOverrides | undefined, text: string | null, secret: boolean): boolean {
  if (text === null) return (before?.userOverrides ?? null) === null
  return before?.userOverrides === text && secret === (before.sealed !== undefined)
}

function neverThere({name, namespace}: OverrideChange, now: string): StoredOverrides {
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

function conflict({name, namespace}: OverrideChange): KkError {
  return new KkError(
    'KK_STORE_CONFLICT',
    `somebody else has changed the overrides of ${name} in ${namespace} meanwhile; nothing was written`,
    {hint: 'look at what they are now, and make the change again'},
  )
}
