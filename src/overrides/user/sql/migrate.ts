import {randomUUID} from 'node:crypto'
import type {Kysely} from 'kysely'
import {KkError} from '../../../base/errors.ts'
import type {Database, Libraries, Tables} from './database.ts'

/**
 * Every step from an empty database to this version, in order of their names. A released step never changes.
 */
export const MIGRATIONS = {
  '001-overrides': makeOverrides,
  '002-history-and-secrets': makeHistoryAndSecrets,
} satisfies Record<string, (db: Kysely<unknown>, types: Database['types']) => Promise<void>>

export type MigrationName = keyof typeof MIGRATIONS

const MIGRATION_TABLE = 'kk_migration'

/**
 * Migrates a database to this version, or to an earlier one for tests; all steps or none. Rejects with
 * `KK_STORE_VERSION`.
 */
export async function migrate(database: Database, {Migrator}: Libraries, to?: MigrationName): Promise<void> {
  const done = await listMigrations(database.db)
  const newer = done.find((name) => !(name in MIGRATIONS))
  if (newer !== undefined) {
    throw new KkError('KK_STORE_VERSION', `a newer kk has changed the override store (${newer})`, {
      hint: 'use that kk, or a newer one; or name another store',
    })
  }
  if (to === undefined && done.length === Object.keys(MIGRATIONS).length) return

  await database.db.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const migrator = new Migrator({
      db: transaction,
      migrationTableName: MIGRATION_TABLE,
      migrationLockTableName: `${MIGRATION_TABLE}_lock`,
      provider: {
        getMigrations: async () =>
          Object.fromEntries(
            Object.entries(MIGRATIONS).map(([name, up]) => [
              name,
              {up: (db: Kysely<unknown>) => up(db, database.types)},
            ]),
          ),
      },
    })
    const {error} = to === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(to)
    if (error !== undefined) throw error
  })
}

/** Returns the names of the steps that the database has; none for a new one. */
async function listMigrations(db: Kysely<never> | Database['db']): Promise<string[]> {
  const typed = db as unknown as Kysely<{[MIGRATION_TABLE]: {readonly name: string}}>
  try {
    const rows = await typed.selectFrom(MIGRATION_TABLE).select('name').execute()
    return rows.map(({name}) => name)
  } catch (error) {
    if (isNoTable(error)) return []
    throw error
  }
}

function isNoTable(error: unknown): boolean {
  const {code, message} = error as {readonly code?: string; readonly message?: string}
  return code === '42P01' || message === `no such table: ${MIGRATION_TABLE}`
}

/** Creates the table of the specification. */
async function makeOverrides(db: Kysely<unknown>, {id, time}: Database['types']): Promise<void> {
  await db.schema
    .createTable('helm_overrides')
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time)
    .addColumn('deleted_at', time)
    .addColumn('id', id, (column) =>
      id === 'integer' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('name', 'varchar(255)', (column) => column.notNull())
    .addColumn('namespace', 'varchar(255)', (column) => column.notNull())
    .addColumn('user_overrides', 'text')
    .addUniqueConstraint('helm_overrides_name_namespace', ['name', 'namespace'])
    .execute()
}

/** Creates the tables of the history, of generated secrets, and of the identity of the store. */
async function makeHistoryAndSecrets(db: Kysely<unknown>, {id, time}: Database['types']): Promise<void> {
  await db.schema
    .createTable('helm_overrides_audit')
    .addColumn('id', id, (column) =>
      id === 'integer' ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('changed_at', time, (column) => column.notNull())
    .addColumn('changed_by', 'text', (column) => column.notNull())
    .addColumn('name', 'varchar(255)', (column) => column.notNull())
    .addColumn('namespace', 'varchar(255)', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute()
  await db.schema
    .createIndex('helm_overrides_audit_of')
    .on('helm_overrides_audit')
    .columns(['name', 'namespace'])
    .execute()
  await db.schema
    .createTable('kk_secrets')
    .addColumn('name', 'varchar(255)', (column) => column.notNull())
    .addColumn('namespace', 'varchar(255)', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .addColumn('updated_at', time)
    .addPrimaryKeyConstraint('kk_secrets_name_namespace', ['name', 'namespace'])
    .execute()
  await db.schema
    .createTable('kk_store')
    .addColumn('id', 'varchar(36)', (column) => column.notNull().primaryKey())
    .addColumn('cluster', 'varchar(255)')
    .addColumn('earlier_changes', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await (db as Kysely<Tables>)
    .insertInto('kk_store')
    .values({id: randomUUID(), cluster: null, earlier_changes: 0})
    .execute()
}
