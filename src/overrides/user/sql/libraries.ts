/** The libraries that the executable carries in a bundle of their own: only commands that use a store pay for them. */
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
