import type {Kysely} from 'kysely'
import {type Cipher, SEALED_HEAD} from '../cipher.ts'
import type {Tables} from './database.ts'

/** Returns true if anything in the store is or was encrypted. */
export async function holdsSealed(db: Kysely<Tables>): Promise<boolean> {
  const secret = await db.selectFrom('kk_secrets').select('name').limit(1).executeTakeFirst()
  if (secret) return true
  const sealed = 'kk-sealed:%'
  const entry = await db
    .selectFrom('helm_overrides_audit')
    .select('id')
    .where((where) => where.or([where('before', 'like', sealed), where('after', 'like', sealed)]))
    .limit(1)
    .executeTakeFirst()
  return entry !== undefined
}

/**
 * Returns the ids of the keys with which present overrides and secrets are encrypted, without those of the
 * history.
 */
export async function keysInUse(db: Kysely<Tables>): Promise<readonly string[]> {
  const {begin, length} = SEALED_HEAD
  const overrides = await db
    .selectFrom('helm_overrides')
    .select(({fn, lit}) => fn<string>('substr', ['user_overrides', lit(1), lit(length)]).as('head'))
    .where('user_overrides', 'like', `${begin}%`)
    // Only YAML has line breaks, and it may contain any key.
    .where('user_overrides', 'not like', '%\n%')
    .distinct()
    .execute()
  const secrets = await db
    .selectFrom('kk_secrets')
    .select(({fn, lit}) => fn<string>('substr', ['value', lit(1), lit(length)]).as('head'))
    .distinct()
    .execute()
  return [...new Set([...overrides, ...secrets].map(({head}) => head.slice(begin.length)))]
}

/**
 * Throws `KK_STORE_KEY` if overrides or secrets are encrypted with a key that is not set. Must be called
 * after an encryption, because the store could otherwise need several keys that are never set at the same
 * time.
 */
export async function expectOneKeyring(db: Kysely<Tables>, cipher: Cipher): Promise<void> {
  cipher.expectKeys(await keysInUse(db))
}
