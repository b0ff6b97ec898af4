import type {Kysely, Selectable, Transaction} from 'kysely'
import type {Cipher} from '../cipher.ts'
import type {StoredSecret} from '../store.ts'
import type {Tables} from './tables.ts'

export async function listSecrets(db: Kysely<Tables>, cipher: Cipher): Promise<StoredSecret[]> {
  const rows = await db.selectFrom('kk_secrets').select(['name', 'namespace', 'value']).execute()
  return rows
    .map((row) => storedSecret(row, cipher))
    .sort((a, b) => (`${a.namespace}\0${a.name}` < `${b.namespace}\0${b.name}` ? -1 : 1))
}

interface SecretOptions {
  readonly replace: boolean
  readonly cipher: Cipher
}

/** Adds a secret, or replaces it if that is wished; of two who add it at once, both get the one that came first. */
export async function writeSecret(
  db: Transaction<Tables>,
  {name, namespace, value}: StoredSecret,
  {replace, cipher}: SecretOptions,
): Promise<StoredSecret> {
  const now = new Date().toISOString()
  const sealed = cipher.seal(value, ['secret', name, namespace])
  await db
    .insertInto('kk_secrets')
    .values({name, namespace, value: sealed, created_at: now, updated_at: null})
    .onConflict((on) => {
      const same = on.columns(['name', 'namespace'])
      return replace ? same.doUpdateSet({value: sealed, updated_at: now}) : same.doNothing()
    })
    .execute()
  const row = await db
    .selectFrom('kk_secrets')
    .select(['name', 'namespace', 'value'])
    .where('name', '=', name)
    .where('namespace', '=', namespace)
    .executeTakeFirstOrThrow()
  return storedSecret(row, cipher)
}

function storedSecret(
  {name, namespace, value}: Pick<Selectable<Tables['kk_secrets']>, 'name' | 'namespace' | 'value'>,
  cipher: Cipher,
): StoredSecret {
  return {name, namespace, value: cipher.open(value, ['secret', name, namespace])}
}
