/** The libraries that the executable carries in a separate bundle, which only commands with a store load. */
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
