import type {Kysely, Selectable, Transaction} from 'kysely'
import type {Cipher} from '../cipher.ts'
import type {DatedSecret, StoredSecret} from '../store.ts'
import {expectNamed} from './overrides/read-overrides.ts'
import {isoTime, type Tables} from './tables.ts'

const COLUMNS = ['name', 'namespace', 'value', 'created_at', 'updated_at'] as const

type Row = Pick<Selectable<Tables['kk_secrets']>, (typeof COLUMNS)[number]>

export async function listSecrets(db: Kysely<Tables>, cipher: Cipher): Promise<DatedSecret[]> {
  const rows = await db.selectFrom('kk_secrets').select(COLUMNS).execute()
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
): Promise<DatedSecret> {
  expectNamed({name, namespace})
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
    .select(COLUMNS)
    .where('name', '=', name)
    .where('namespace', '=', namespace)
    .executeTakeFirstOrThrow()
  return storedSecret(row, cipher)
}

function storedSecret({name, namespace, value, created_at, updated_at}: Row, cipher: Cipher): DatedSecret {
  return {
    name,
    namespace,
    value: cipher.open(value, ['secret', name, namespace]),
    since: isoTime(updated_at ?? created_at),
  }
}
