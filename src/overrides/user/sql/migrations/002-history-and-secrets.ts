import {randomUUID} from 'node:crypto'
import type {Kysely} from 'kysely'
import type {Database} from '../databases/database.ts'
import type {Tables} from '../tables.ts'

/** Who changed what, generated secrets, and who the store is. */
export async function makeHistoryAndSecrets(
  db: Kysely<unknown>,
  {id, time}: Database['types'],
): Promise<void> {
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
