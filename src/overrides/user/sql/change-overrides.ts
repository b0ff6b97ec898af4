import {hash} from 'node:crypto'
import type {Kysely, Transaction} from 'kysely'
import {KkError} from '../../../base/errors.ts'
import {type Cipher, isSealed} from '../cipher.ts'
import {withExistingKeyHint} from '../keys.ts'
import type {ChangedPlace, ChartPlace, NextOverrides, OverrideChange, StoredOverrides} from '../store.ts'
import {type Outcome, refused} from './batched.ts'
import type {Row, Tables} from './database.ts'
import {expectOneKeyring, holdsSealed} from './sealed.ts'

/** The maximum number of charts in one statement, whose number of parameters is limited. */
export const MAX_CHARTS_PER_STATEMENT = 100

/** Reads the stored overrides of each of these charts, in their order. */
export async function readOverrides(
  db: Kysely<Tables>,
  places: readonly ChartPlace[],
  cipher: Cipher,
): Promise<readonly Outcome<StoredOverrides | undefined>[]> {
  const rows = await readRows(db, places)
  return places.map((place) => () => {
    const row = rows.get(placeKey(place))
    return row && storedOverrides(row, cipher)
  })
}

/** Computes the next overrides from the stored ones; throws to refuse the change. */
type Next = (current: StoredOverrides | undefined) => NextOverrides

/** An update of the overrides of one chart in one namespace, and its author. */
export interface Update {
  readonly of: ChangedPlace
  readonly next: Next
}

/**
 * Returns a change as an update, which throws `KK_STORE_CONFLICT` if the overrides are not those on which it
 * is based.
 */
export function updateOf(change: OverrideChange): Update {
  const next: Next = (current) => {
    const nothing = current === undefined || current.userOverrides === null
    const same = change.expected === undefined ? nothing : change.expected === current?.etag
    if (!same) throw conflict(change)
    return change
  }
  return {of: change, next}
}

function conflict({name, namespace}: ChartPlace): KkError {
  return new KkError(
    'KK_STORE_CONFLICT',
    `the overrides of ${name} in ${namespace} have changed in the meantime; nothing was written`,
    {hint: 'check the present overrides, and repeat the change'},
  )
}

/**
 * Writes the result of each update to the overrides that are then stored, in order, with the entries in the
 * history. A `KkError` of an update is its outcome, and nothing of it is written. The caller must prevent
 * concurrent writes.
 */
export async function writeOverrides(
  db: Transaction<Tables>,
  updates: readonly Update[],
  cipher: Cipher,
): Promise<readonly Outcome<StoredOverrides>[]> {
  const now = new Date().toISOString()
  const present = await readRows(
    db,
    updates.map(({of}) => of),
  )
  const rows = new Map<string, Row>()
  const entries: Entry[] = []
  const outcomes: Outcome<StoredOverrides>[] = []
  for (const update of updates) {
    const key = placeKey(update.of)
    try {
      const {stored, written} = applyTo(rows.get(key) ?? present.get(key), update, {now, cipher})
      if (written) rows.set(key, written.row)
      if (written) entries.push(written.entry)
      outcomes.push(() => stored)
    } catch (error) {
      if (!(error instanceof KkError)) throw error
      outcomes.push(refused(await withKeyHint(db, error)))
    }
  }
  if (entries.length === 0) return outcomes
  await insert(db, [...rows.values()], entries)
  if (entries.some(({after}) => after !== null && isSealed(after))) await expectOneKeyring(db, cipher)
  return outcomes
}

/** Adds the rows, or replaces their columns except `created_at`; adds the entries in their order. */
async function insert(
  db: Transaction<Tables>,
  rows: readonly Row[],
  entries: readonly Entry[],
): Promise<void> {
  const time = (value: Date | string | null) => (value === null ? null : isoTime(value))
  await db
    .insertInto('helm_overrides')
    .values(
      rows.map((row) => ({
        ...row,
        created_at: isoTime(row.created_at),
        updated_at: time(row.updated_at),
        deleted_at: time(row.deleted_at),
      })),
    )
    .onConflict((on) =>
      on.columns(['name', 'namespace']).doUpdateSet((set) => ({
        updated_at: set.ref('excluded.updated_at'),
        deleted_at: set.ref('excluded.deleted_at'),
        user_overrides: set.ref('excluded.user_overrides'),
      })),
    )
    .execute()
  await db.insertInto('helm_overrides_audit').values(entries).execute()
}

/**
 * Returns the error with the hint to set the existing key if data is encrypted, because a new key would not
 * decrypt it.
 */
async function withKeyHint(db: Transaction<Tables>, error: KkError): Promise<KkError> {
  return error.code === 'KK_STORE_KEY' && (await holdsSealed(db)) ? withExistingKeyHint(error) : error
}

/** Reads rows, keyed by `placeKey`. Invalid names are not queried, because a database may reject them. */
async function readRows(
  db: Kysely<Tables>,
  places: readonly ChartPlace[],
): Promise<ReadonlyMap<string, Row>> {
  const named = places.filter(isNamed)
  if (named.length === 0) return new Map()
  const rows = await db
    .selectFrom('helm_overrides')
    .select(['created_at', 'updated_at', 'deleted_at', 'name', 'namespace', 'user_overrides'])
    .where(({eb, refTuple, tuple}) =>
      eb(
        refTuple('name', 'namespace'),
        'in',
        named.map(({name, namespace}) => tuple(name, namespace)),
      ),
    )
    .execute()
  return new Map(rows.map((row) => [placeKey(row), row]))
}

function placeKey({name, namespace}: ChartPlace): string {
  return JSON.stringify([name, namespace])
}

/** A new entry of the history. */
interface Entry extends ChartPlace {
  readonly changed_at: string
  readonly changed_by: string
  readonly before: string | null
  readonly after: string | null
}

interface Updated {
  readonly stored: StoredOverrides
  /** The row and its entry to write; undefined if nothing changes. */
  readonly written?: {readonly row: Row; readonly entry: Entry}
}

/**
 * Applies an update to the stored overrides. Throws the errors of `next`, `KK_USAGE` for names, and
 * `KK_STORE_KEY`.
 */
function applyTo(
  present: Row | undefined,
  {of, next}: Update,
  {now, cipher}: {readonly now: string; readonly cipher: Cipher},
): Updated {
  expectNamed(of)
  const {name, namespace, who} = of
  const before = present && storedOverrides(present, cipher)
  const nextOverrides = next(before)
  const {text, secret} = openText({...nextOverrides, name, namespace}, cipher)
  if (isSame(before, text, secret)) return {stored: before ?? neverThere(of, now)}
  const row: Row = {
    name,
    namespace,
    created_at: present?.created_at ?? now,
    updated_at: present ? now : null,
    deleted_at: text === null ? now : null,
    user_overrides:
      text === null || !secret ? text : sealed(text, {...nextOverrides, name, namespace}, cipher),
  }
  const auditText = (text: string | null, part: 'before' | 'after', isSecret: boolean) =>
    text !== null && isSecret ? cipher.seal(text, ['audit', name, namespace, now, part]) : text
  const entry: Entry = {
    changed_at: now,
    changed_by: who,
    name,
    namespace,
    before: auditText(before?.userOverrides ?? null, 'before', before?.sealed !== undefined),
    after: auditText(text, 'after', secret),
  }
  return {stored: storedOverrides(row, cipher), written: {row, entry}}
}

/**
 * Returns the string to store and whether it is secret. An encrypted one is decrypted to verify that it
 * belongs to this row.
 */
function openText(
  {userOverrides, secret, name, namespace}: ChartPlace & NextOverrides,
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

function neverThere({name, namespace}: ChartPlace, now: string): StoredOverrides {
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

/** The maximum number of secrets that a message names. */
const NAMED = 3

/** Returns the string encrypted. Throws `KK_STORE_KEY` without a key, with the secrets that require it. */
function sealed(
  text: string,
  {name, namespace, secretAt = []}: ChartPlace & Pick<NextOverrides, 'secretAt'>,
  cipher: Cipher,
): string {
  try {
    return cipher.seal(text, ['overrides', name, namespace])
  } catch (error) {
    if (!(error instanceof KkError) || secretAt.length === 0) throw error
    const {message, hint} = error
    const first = secretAt.slice(0, NAMED).map((path) => path.join('.'))
    const more = secretAt.length > NAMED ? ` and ${secretAt.length - NAMED} more` : ''
    const verb = secretAt.length > 1 ? 'are' : 'is'
    throw new KkError(
      'KK_STORE_KEY',
      `${first.join(', ')}${more} of ${name} in ${namespace} ${verb} secret: ${message}`,
      {...(hint !== undefined && {hint})},
    )
  }
}

const LONGEST_NAME = 255

/** Returns true if chart and namespace have names that a store accepts, of 1 to 255 characters. */
export function isNamed({name, namespace}: ChartPlace): boolean {
  return [name, namespace].every((each) => each !== '' && each.length <= LONGEST_NAME && !each.includes('\0'))
}

/** Throws `KK_USAGE` for names that a store does not accept. */
export function expectNamed(place: ChartPlace): void {
  if (isNamed(place)) return
  throw new KkError('KK_USAGE', `expected names of 1 to ${LONGEST_NAME} characters for chart and namespace`)
}

/** Returns a time of either database as ISO 8601. */
export function isoTime(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value
}

/**
 * Returns a row in the form of the store. Throws `KK_STORE_KEY` for one that is encrypted with another key.
 */
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

/** Returns the etag of a row: a digest of the string as stored, of null after a deletion. */
function etagOf(raw: string | null): string {
  return hash('sha256', raw === null ? 'null' : `text ${raw}`).slice(0, 32)
}
