import type {Kysely} from 'kysely'
import type {Tables} from '../tables.ts'

/** Whether anything in the store is encrypted, or was. */
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
