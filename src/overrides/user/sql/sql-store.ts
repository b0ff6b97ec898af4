import type {Kysely, Selectable, Transaction} from 'kysely'
import {KkError} from '../../../base/errors.ts'
import {type Cipher, isSealed} from '../cipher.ts'
import type {
  AuditPage,
  ChartPlace,
  DatedSecret,
  OverrideStore,
  StoreContent,
  StoredEntry,
  StoredOverrides,
  StoredSecret,
  StoreIdentity,
} from '../store.ts'
import {batched} from './batched.ts'
import {
  expectNamed,
  isNamed,
  isoTime,
  MAX_CHARTS_PER_STATEMENT,
  readOverrides,
  storedOverrides,
  type Update,
  updateOf,
  writeOverrides,
} from './change-overrides.ts'
import type {Database, Tables} from './database.ts'
import {expectOneKeyring, keysInUse} from './sealed.ts'

/** Returns the store over a migrated database. */
export function createSqlStore(
  {db, lockOverrides, expectPresent, explain}: Database,
  cipher: Cipher,
): OverrideStore {
  const explained = async <T>(body: () => Promise<T>) => {
    try {
      return await body()
    } catch (error) {
      throw explain(error)
    }
  }
  /** Checks the file afterwards, too: a write to a removed file is an error. */
  const present = <T>(body: () => Promise<T>) =>
    explained(async () => {
      expectPresent()
      const result = await body()
      expectPresent()
      return result
    })
  const read = <T>(body: (db: Kysely<Tables>) => Promise<T>) => present(() => body(db))
  const write = <T>(body: (db: Transaction<Tables>) => Promise<T>) =>
    present(() => db.transaction().execute(body))
  /** Lets one writer at a time change overrides, so that writers do not conflict. */
  const writeAlone = <T>(body: (db: Transaction<Tables>) => Promise<T>) =>
    write(async (db) => {
      await lockOverrides(db)
      return body(db)
    })
  const put = batched(
    (updates: readonly Update[]) => writeAlone((db) => writeOverrides(db, updates, cipher)),
    MAX_CHARTS_PER_STATEMENT,
  )
  const get = batched(
    (places: readonly ChartPlace[]) => read((db) => readOverrides(db, places, cipher)),
    MAX_CHARTS_PER_STATEMENT,
  )
  return {
    identity: () => read(readIdentity),
    expectKeys: async () => cipher.expectKeys(await read(keysInUse)),
    bind: (cluster, {replace = false} = {}) => write((db) => bindTo(db, cluster, replace)),
    list: () => read((db) => listOverrides(db, cipher)),
    get: (name, namespace) => get({name, namespace}),
    update: (of, next) => put({of, next}),
    put: (change) => put(updateOf(change)),
    putAll: (content) => writeAlone((db) => writeContent(db, content, cipher)),
    audit: (of, page = {}) => read((db) => listEntries(db, {of, ...page}, cipher)),
    secrets: () => read((db) => listSecrets(db, cipher)),
    putSecret: (secret, {replace = false} = {}) =>
      write(async (db) => {
        const stored = await writeSecret(db, secret, {replace, cipher})
        await expectOneKeyring(db, cipher)
        return stored
      }),
    close: () => explained(() => db.destroy()),
  }
}

async function readIdentity(db: Kysely<Tables>): Promise<StoreIdentity> {
  const {id, cluster, earlier_changes} = await db.selectFrom('kk_store').selectAll().executeTakeFirstOrThrow()
  const {changes} = await db
    .selectFrom('helm_overrides_audit')
    .select((select) => select.fn.countAll<number | string>().as('changes'))
    .executeTakeFirstOrThrow()
  return {id, cluster: cluster ?? undefined, state: earlier_changes + Number(changes)}
}

async function bindTo(db: Transaction<Tables>, cluster: string, replace: boolean): Promise<void> {
  const update = db.updateTable('kk_store').set({cluster})
  await (replace ? update : update.where('cluster', 'is', null)).execute()
  const identity = await readIdentity(db)
  if (identity.cluster === cluster) return
  throw new KkError(
    'KK_STORE',
    `the override store ${identity.id} belongs to another cluster: to ${identity.cluster}, not to ${cluster} (UIDs of the namespace kube-system)`,
    {hint: 'name the store of this cluster, or the context of the cluster that the store belongs to'},
  )
}

async function listOverrides(db: Kysely<Tables>, cipher: Cipher): Promise<StoredOverrides[]> {
  const rows = await db
    .selectFrom('helm_overrides')
    .selectAll()
    .where('user_overrides', 'is not', null)
    .execute()
  return rows
    .map((row) => storedOverrides(row, cipher))
    .sort((a, b) => compare(a.name, b.name) || compare(a.namespace, b.namespace))
}

/** Compares by code units, independent of the locale of a database. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The maximum of a column `integer` of PostgreSQL, which refuses to compare with a greater number. */
const MAX_ID = 2 ** 31 - 1

async function listEntries(
  db: Kysely<Tables>,
  {of, limit, before}: AuditPage & {readonly of: ChartPlace | undefined},
  cipher: Cipher,
): Promise<StoredEntry[]> {
  if (of && !isNamed(of)) return []
  let query = db.selectFrom('helm_overrides_audit').selectAll().orderBy('id', 'desc')
  if (limit !== undefined) query = query.limit(limit)
  if (before !== undefined) query = query.where('id', '<', Math.min(before, MAX_ID))
  if (of) query = query.where('name', '=', of.name).where('namespace', '=', of.namespace)
  const rows = await query.execute()
  return rows.map(({id, changed_at, changed_by, name, namespace, before, after}) => {
    const at = isoTime(changed_at)
    const opened = (text: string | null, part: 'before' | 'after') =>
      text === null ? null : cipher.open(text, ['audit', name, namespace, at, part])
    return {
      id,
      at,
      who: changed_by,
      name,
      namespace,
      before: opened(before, 'before'),
      after: opened(after, 'after'),
      sealed: {before: isSealed(before ?? ''), after: isSealed(after ?? '')},
    }
  })
}

async function writeContent(
  db: Transaction<Tables>,
  {changes, secrets, identity}: StoreContent,
  cipher: Cipher,
): Promise<void> {
  const present = await readIdentity(db)
  if (identity && present.state === 0 && present.cluster === undefined) {
    const {id, cluster = null, state} = identity
    await db
      .updateTable('kk_store')
      .set({id, cluster, earlier_changes: Math.max(0, state - changes.length)})
      .execute()
  }
  for (let start = 0; start < changes.length; start += MAX_CHARTS_PER_STATEMENT) {
    const updates = changes.slice(start, start + MAX_CHARTS_PER_STATEMENT).map(updateOf)
    for (const outcome of await writeOverrides(db, updates, cipher)) outcome()
  }
  for (const secret of secrets) await writeSecret(db, secret, {replace: true, cipher})
  if (secrets.length > 0) await expectOneKeyring(db, cipher)
}

const COLUMNS = ['name', 'namespace', 'value', 'created_at', 'updated_at'] as const

type SecretRow = Pick<Selectable<Tables['kk_secrets']>, (typeof COLUMNS)[number]>

async function listSecrets(db: Kysely<Tables>, cipher: Cipher): Promise<DatedSecret[]> {
  const rows = await db.selectFrom('kk_secrets').select(COLUMNS).execute()
  return rows
    .map((row) => storedSecret(row, cipher))
    .sort((a, b) => (`${a.namespace}\0${a.name}` < `${b.namespace}\0${b.name}` ? -1 : 1))
}

interface SecretOptions {
  readonly replace: boolean
  readonly cipher: Cipher
}

/** Adds a secret, or replaces it with `replace`; of two concurrent inserts, both get the first one. */
async function writeSecret(
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

function storedSecret(
  {name, namespace, value, created_at, updated_at}: SecretRow,
  cipher: Cipher,
): DatedSecret {
  return {
    name,
    namespace,
    value: cipher.open(value, ['secret', name, namespace]),
    since: isoTime(updated_at ?? created_at),
  }
}
