import type {DatabaseConnection, Dialect, SqliteDatabase} from 'kysely'
import {compiledStatements} from '../overrides/statements.ts'
import type {Tables} from '../tables.ts'
import type {Database, Libraries} from './database.ts'
import {expectSameFile} from './same-file.ts'
import {connectSqlite} from './sqlite-connection.ts'
import {explainSqlite} from './sqlite-errors.ts'
import {whileLocked} from './while-locked.ts'

/**
 * Opens the file, which is made for its owner alone where it is missing; one that may only be read is opened to be read.
 * Rejects with `KK_STORE_DATABASE`, `KK_FILE`.
 */
export async function openSqlite(path: string, libraries: Libraries): Promise<Database> {
  const explain = (error: unknown) => explainSqlite(error, path)
  try {
    const database = await connectSqlite(path)
    const db = new libraries.Kysely<Tables>({dialect: dialectOf(database, libraries)})
    return {
      db,
      statements: compiledStatements(db),
      types: {id: 'integer', time: 'text'},
      // A transaction is the only writer as it is.
      lockMigrations: async () => {},
      lockOverrides: async () => {},
      expectPresent: expectSameFile(path),
      explain,
    }
  } catch (error) {
    throw explain(error)
  }
}

function dialectOf(database: SqliteDatabase, libraries: Libraries): Dialect {
  class Adapter extends libraries.SqliteAdapter {
    // kysely takes this for a lack of SQLite; without it migrations could stop half-way.
    override get supportsTransactionalDdl(): boolean {
      return true
    }
  }
  class Driver extends libraries.SqliteDriver {
    override async acquireConnection(): Promise<DatabaseConnection> {
      const connection = await super.acquireConnection()
      return {
        executeQuery: (query) => whileLocked(() => connection.executeQuery(query)),
        streamQuery: (query, size) => connection.streamQuery(query, size),
      }
    }

    // Whoever reads first and writes then would meet the lock too late to wait for it.
    override async beginTransaction(connection: DatabaseConnection): Promise<void> {
      await connection.executeQuery(libraries.CompiledQuery.raw('begin immediate'))
    }
  }
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => new Driver({database}),
    createIntrospector: (db) => new libraries.SqliteIntrospector(db),
    createQueryCompiler: () => new libraries.SqliteQueryCompiler(),
  }
}
