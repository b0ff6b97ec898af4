/** What the executable carries in a bundle of its own: only commands that use a store pay for it. */
export {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
export {Migrator} from 'kysely/migration'
export {Pool} from 'pg'
