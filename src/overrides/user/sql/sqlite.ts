import {existsSync, statSync} from 'node:fs'
import {access, constants, open} from 'node:fs/promises'
import {dirname} from 'node:path'
import {DatabaseSync, type SQLInputValue} from 'node:sqlite'
import {setTimeout as delay} from 'node:timers/promises'
import {pathToFileURL} from 'node:url'
import type {DatabaseConnection, Dialect, SqliteDatabase} from 'kysely'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import type {Database, Libraries, Tables} from './database.ts'
import {cannotCreateFile, expectSameFile, explainSqlite, FOREIGN, isLocked} from './sqlite-errors.ts'

/**
 * Opens the file, created with access for its owner only, or opened read-only. Rejects with
 * `KK_STORE_DATABASE`, `KK_FILE`.
 */
export async function openSqlite(path: string, libraries: Libraries): Promise<Database> {
  const explain = (error: unknown) => explainSqlite(error, path)
  try {
    const database = await connectSqlite(path)
    const db = new libraries.Kysely<Tables>({dialect: makeDialect(database, libraries)})
    return {
      db,
      types: {id: 'integer', time: 'text'},
      // A transaction is already the only writer.
      lockMigrations: async () => {},
      lockOverrides: async () => {},
      expectPresent: expectSameFile(path),
      explain,
    }
  } catch (error) {
    throw explain(error)
  }
}

function makeDialect(database: SqliteDatabase, libraries: Libraries): Dialect {
  class Adapter extends libraries.SqliteAdapter {
    // kysely assumes that SQLite lacks this; without it migrations could stop halfway.
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

    // A transaction that first reads and then writes would get the lock too late to wait for it.
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

/** SQLite's own busy timeout blocks the whole process, so it is short; `whileLocked` does not block. */
const BLOCKING_MILLISECONDS = 20
const FORBIDDEN: readonly string[] = ['EACCES', 'EPERM', 'EROFS']

/** Opens a connection with the interface that kysely expects. */
async function connectSqlite(path: string): Promise<SqliteDatabase> {
  await makeDirectory(dirname(path), {mode: 0o700})
  return forKysely((await canBeWritten(path)) ? await connect(path) : await connectToRead(path))
}

async function connect(path: string): Promise<DatabaseSync> {
  return checked(
    new DatabaseSync(path, {timeout: BLOCKING_MILLISECONDS, enableForeignKeyConstraints: true}),
    // The database is never corrupted; a commit does not wait for the disk, so only a power failure of a
    // server can revert its last seconds, which the state on the cluster then reveals.
    (database) => database.exec('pragma journal_mode = wal; pragma synchronous = normal'),
  )
}

/**
 * Returns true if the file can be written; creates a missing one. False if it is another user's, or SQLite
 * cannot create a log next to it.
 */
async function canBeWritten(path: string): Promise<boolean> {
  try {
    // SQLite gives the files next to it the same permissions.
    await (await open(path, 'a', 0o600)).close()
    if (!existsSync(`${path}-wal`)) await access(dirname(path), constants.W_OK)
    return true
  } catch (error) {
    const {code = ''} = error as NodeJS.ErrnoException
    if (!FORBIDDEN.includes(code) || !existsSync(path)) throw error
    return false
  }
}

/**
 * Opens a file that may only be read. One without a log next to it is complete, and no process writes it: so
 * it can be read even if SQLite may not create the files by which it shares a database with writers.
 */
async function connectToRead(path: string): Promise<DatabaseSync> {
  const options = {readOnly: true, timeout: BLOCKING_MILLISECONDS}
  try {
    return await checked(new DatabaseSync(path, options))
  } catch (error) {
    const log = statSync(`${path}-wal`, {throwIfNoEntry: false})
    if (!cannotCreateFile(error) || (log && log.size > 0)) throw error
    const unshared = pathToFileURL(path)
    unshared.searchParams.set('immutable', '1')
    return checked(new DatabaseSync(unshared, options))
  }
}

async function checked(
  database: DatabaseSync,
  prepare: (database: DatabaseSync) => void = () => {},
): Promise<DatabaseSync> {
  try {
    await whileLocked(() => {
      prepare(database)
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

/** Returns the database with the interface that kysely expects; SQLite compiles each statement once. */
function forKysely(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    close: () => database.close(),
    prepare(text) {
      const cached = statements.get(text)
      if (cached) return cached
      const statement = database.prepare(text)
      const prepared = {
        reader: statement.columns().length > 0,
        all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
        run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
        iterate: (values: readonly unknown[]) => statement.iterate(...(values as SQLInputValue[])),
      }
      statements.set(text, prepared)
      return prepared
    },
  }
}

const PATIENCE_MILLISECONDS = 15_000
const PAUSE_MILLISECONDS = 20

/** Retries while another connection, of this process or another, holds the lock; for 15 seconds at most. */
export async function whileLocked<T>(body: () => T | Promise<T>): Promise<T> {
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
