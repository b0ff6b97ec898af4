import type {Kysely} from 'kysely'
import {type Cipher, SEALED_HEAD} from '../cipher.ts'
import type {Tables} from './database.ts'

/** Tells whether anything in the store is encrypted, or was. */
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

/** Returns the names of the keys with which overrides and secrets are encrypted now; those of the history are not among them. */
export async function keysInUse(db: Kysely<Tables>): Promise<readonly string[]> {
  const {begin, length} = SEALED_HEAD
  const overrides = await db
    .selectFrom('helm_overrides')
    .select(({fn, lit}) => fn<string>('substr', ['user_overrides', lit(1), lit(length)]).as('head'))
    .where('user_overrides', 'like', `${begin}%`)
    // Only YAML has lines, and a key of it may be called anything.
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
 * Throws `KK_STORE_KEY` where overrides or secrets are encrypted with a key that was not given. To be called after something
 * was encrypted: the store would otherwise need keys that nobody has together.
 */
export async function expectOneKeyring(db: Kysely<Tables>, cipher: Cipher): Promise<void> {
  cipher.expectKeys(await keysInUse(db))
}
