import {loadBundle} from '../../state/assets.ts'
import {createCipher} from './cipher.ts'
import {parseKeys, storeKeys} from './keys.ts'
import {storeLocation} from './location.ts'
import {migrate} from './sql/migrate.ts'
import {createSqlStore} from './sql/sql-store.ts'
import type {OverrideStore} from './store.ts'

export interface StoreOptions {
  /** A file or a `postgres://` URL; by default the file of that name in kk's state directory. */
  readonly location?: string | undefined
  /** `default` by default. */
  readonly name?: string
  /** Keys as in `KK_STORE_KEY`, which is read if this is undefined, and only to encrypt or decrypt. */
  readonly key?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Opens the store; creates or migrates it if necessary. Rejects with `KK_STORE_DATABASE`, `KK_STORE_VERSION`,
 * `KK_USAGE`.
 */
export async function openStore({
  location,
  name = 'default',
  key,
  env,
}: StoreOptions): Promise<OverrideStore> {
  const storeAt = storeLocation({location, name, env})
  const libraries = await loadBundle('store', () => import('./sql/libraries.ts'))
  const database =
    storeAt.kind === 'sqlite'
      ? await (await import('./sql/sqlite.ts')).openSqlite(storeAt.path, libraries)
      : await (await import('./sql/postgres.ts')).openPostgres(storeAt, libraries)
  try {
    await migrate(database, libraries)
  } catch (error) {
    await database.db.destroy()
    throw database.explain(error)
  }
  return createSqlStore(
    database,
    createCipher(() => (key === undefined ? storeKeys(env) : parseKeys(key, 'the key of the store'))),
  )
}
