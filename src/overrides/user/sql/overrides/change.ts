import {KkError} from '../../../../errors.ts'
import {type Cipher, isSealed} from '../../cipher.ts'
import type {ChangedPlace, NextOverrides, OverrideChange, StoredOverrides} from '../../store.ts'
import type {Row} from '../tables.ts'
import {expectNamed} from './read-overrides.ts'
import type {Place, WrittenEntry} from './statements.ts'
import {etagOf, storedOverrides} from './stored-row.ts'

/** So many places are named. */
const NAMED = 3

/** A change of the overrides of one chart in one namespace. */
export interface Change {
  readonly of: ChangedPlace
  readonly next: (current: StoredOverrides | undefined) => NextOverrides
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

/** What a change makes. */
interface Changed {
  readonly stored: StoredOverrides
  /** With `row`, what the history says of it; both undefined where nothing changes. */
  readonly entry?: WrittenEntry
  readonly row?: Row
}

/** Does a change to what stands there. Throws what `next` throws, `KK_USAGE` for names, and `KK_STORE_KEY`. */
export function changed(
  present: Row | undefined,
  {of, next}: Change,
  {now, cipher}: {readonly now: string; readonly cipher: Cipher},
): Changed {
  expectNamed(of)
  const {name, namespace} = of
  const before = present && storedOverrides(present, cipher)
  const made = next(before)
  const {text, secret} = textOf({...made, name, namespace}, cipher)
  if (isSame(before, text, secret)) return {stored: before ?? neverThere(of, now)}
  const row: Row = {
    name,
    namespace,
    created_at: present?.created_at ?? now,
    updated_at: present ? now : null,
    deleted_at: text === null ? now : null,
    user_overrides: text === null || !secret ? text : sealed(text, {...made, name, namespace}, cipher),
  }
  const entry = entryOf({of, at: now, before, after: text, secret}, cipher)
  return {stored: storedOverrides(row, cipher), row, entry}
}

/** Throws `KK_STORE_KEY` without a key, with the places that made it necessary. */
function sealed(
  text: string,
  {name, namespace, secretAt = []}: Place & Pick<NextOverrides, 'secretAt'>,
  cipher: Cipher,
): string {
  try {
    return cipher.seal(text, ['overrides', name, namespace])
  } catch (error) {
    if (!(error instanceof KkError) || secretAt.length === 0) throw error
    const {message, hint} = error
    const verb = secretAt.length > 1 ? 'are' : 'is'
    throw new KkError(
      'KK_STORE_KEY',
      `${named(secretAt)} of ${name} in ${namespace} ${verb} secret: ${message}`,
      {
        ...(hint !== undefined && {hint}),
      },
    )
  }
}

function named(places: NonNullable<NextOverrides['secretAt']>): string {
  const first = places.slice(0, NAMED).map((place) => place.join('.'))
  const more = places.length > NAMED ? ` and ${places.length - NAMED} more` : ''
  return first.join(', ') + more
}

interface Entry {
  readonly of: ChangedPlace
  readonly at: string
  readonly before: StoredOverrides | undefined
  readonly after: string | null
  readonly secret: boolean
}

/** What the history says of a change. */
function entryOf({of, at, before, after, secret}: Entry, cipher: Cipher): WrittenEntry {
  const {name, namespace, who} = of
  const kept = (text: string | null, part: 'before' | 'after', sealed: boolean) =>
    text !== null && sealed ? cipher.seal(text, ['audit', name, namespace, at, part]) : text
  return {
    changed_at: at,
    changed_by: who,
    name,
    namespace,
    before: kept(before?.userOverrides ?? null, 'before', before?.sealed !== undefined),
    after: kept(after, 'after', secret),
  }
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

function conflict({name, namespace}: Place): KkError {
  return new KkError(
    'KK_STORE_CONFLICT',
    `somebody else has changed the overrides of ${name} in ${namespace} meanwhile; nothing was written`,
    {hint: 'look at what they are now, and make the change again'},
  )
}
