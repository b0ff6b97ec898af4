import {open} from 'node:fs/promises'
import {dirname} from 'node:path'
// The one file that knows node:sqlite: Node is about to rename what it exports.
import {DatabaseSync, type SQLInputValue} from 'node:sqlite'
import {setTimeout as delay} from 'node:timers/promises'
import type {DatabaseConnection, Dialect, SqliteDatabase} from 'kysely'
import {makeDirectory} from '../../../../state/files/make-directory.ts'
import {compiledStatements} from '../overrides/statements.ts'
import type {Tables} from '../tables.ts'
import type {Database, Libraries} from './database.ts'
import {expectSameFile} from './same-file.ts'
import {explainSqlite, FOREIGN, isLocked} from './sqlite-errors.ts'

/** SQLite's own waiting stops the whole process, so it is short; kk's does not. */
const BLOCKING_MILLISECONDS = 20
const PATIENCE_MILLISECONDS = 15_000
const PAUSE_MILLISECONDS = 20
/** Opens the file, which is made for its owner alone where it is missing. Rejects with `KK_STORE_DATABASE`, `KK_FILE`. */
export async function openSqlite(path: string, libraries: Libraries): Promise<Database> {
  const explain = (error: unknown) => explainSqlite(error, path)
  try {
    const database = await connect(path)
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

function dialectOf(database: DatabaseSync, libraries: Libraries): Dialect {
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
    createDriver: () => new Driver({database: forKysely(database)}),
    createIntrospector: (db) => new libraries.SqliteIntrospector(db),
    createQueryCompiler: () => new libraries.SqliteQueryCompiler(),
  }
}

/** Again and again while another connection, of this process or another, holds the lock. */
async function whileLocked<T>(body: () => T | Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE_MILLISECONDS
  while (true) {
    try {
      return await body()
    } catch (error) {
      if (!isLocked(error) || Date.now() > until) throw error
      await delay(Math.random() * PAUSE_MILLISECONDS)
    }
  }
}

async function connect(path: string): Promise<DatabaseSync> {
  await makeDirectory(dirname(path), {mode: 0o700})
  // SQLite gives the files beside it the same permissions.
  await (await open(path, 'a', 0o600)).close()
  const database = new DatabaseSync(path, {timeout: BLOCKING_MILLISECONDS, enableForeignKeyConstraints: true})
  try {
    await whileLocked(() => {
      // Never damaged; the disk is waited for at the end of a command, so that only a power cut of a server can take
      // back its last seconds, which the state on the cluster then tells.
      database.exec('pragma journal_mode = wal; pragma synchronous = normal')
      refuseForeign(database)
    })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function refuseForeign(database: DatabaseSync): void {
  const names = database.prepare("select name from sqlite_master where type = 'table'").all()
  const tables = names.map(({name}) => String(name))
  if (tables.length > 0 && !tables.includes('kk_migration')) throw new Error(FOREIGN)
}

/** The shape that kysely expects. Statements are compiled once. */
function forKysely(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    close: () => database.close(),
    prepare(text) {
      const known = statements.get(text)
      if (known) return known
      const statement = database.prepare(text)
      const made = {
        reader: statement.columns().length > 0,
        all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
        run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
        iterate: (values: readonly unknown[]) => statement.iterate(...(values as SQLInputValue[])),
      }
      statements.set(text, made)
      return made
    },
  }
}
