import type {Kysely} from 'kysely'
import type {Database} from '../databases/database.ts'

/** The table of the specification. */
export async function makeOverrides(db: Kysely<unknown>, {id, time}: Database['types']): Promise<void> {
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
