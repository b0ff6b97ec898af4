import {existsSync, statSync} from 'node:fs'
import {access, constants, open} from 'node:fs/promises'
import {dirname} from 'node:path'
import {DatabaseSync, type SQLInputValue} from 'node:sqlite'
import {setTimeout as delay} from 'node:timers/promises'
import {pathToFileURL} from 'node:url'
import type {DatabaseConnection, Dialect, SqliteDatabase} from 'kysely'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import type {Database, Libraries, Tables} from './database.ts'
import {cannotBeMade, expectSameFile, explainSqlite, FOREIGN, isLocked} from './sqlite-errors.ts'

/** Opens the file, which is made for its owner alone, or opened read-only. Rejects with `KK_STORE_DATABASE`, `KK_FILE`. */
export async function openSqlite(path: string, libraries: Libraries): Promise<Database> {
  const explain = (error: unknown) => explainSqlite(error, path)
  try {
    const database = await connectSqlite(path)
    const db = new libraries.Kysely<Tables>({dialect: dialectOf(database, libraries)})
    return {
      db,
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

/** SQLite's own waiting stops the whole process, so it is short; kk's does not. */
const BLOCKING_MILLISECONDS = 20
const FORBIDDEN: readonly string[] = ['EACCES', 'EPERM', 'EROFS']

/** Opens a connection in the shape that kysely expects. */
async function connectSqlite(path: string): Promise<SqliteDatabase> {
  await makeDirectory(dirname(path), {mode: 0o700})
  return forKysely((await canBeWritten(path)) ? await connect(path) : await connectToRead(path))
}

async function connect(path: string): Promise<DatabaseSync> {
  return checked(
    new DatabaseSync(path, {timeout: BLOCKING_MILLISECONDS, enableForeignKeyConstraints: true}),
    // Never damaged; the disk is waited for at the end of a command, so that only a power cut of a server can take
    // back its last seconds, which the state on the cluster then tells.
    (database) => database.exec('pragma journal_mode = wal; pragma synchronous = normal'),
  )
}

/** Tells whether the file can be written; it is made where it is missing. Not where it is another user's, or SQLite can make no log beside it. */
async function canBeWritten(path: string): Promise<boolean> {
  try {
    // SQLite gives the files beside it the same permissions.
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
 * Opens a file that may only be read. One without a log beside it holds all there is, and nobody writes it: so it can be
 * read where SQLite may not make the files by which it shares a database with writers.
 */
async function connectToRead(path: string): Promise<DatabaseSync> {
  const options = {readOnly: true, timeout: BLOCKING_MILLISECONDS}
  try {
    return await checked(new DatabaseSync(path, options))
  } catch (error) {
    const log = statSync(`${path}-wal`, {throwIfNoEntry: false})
    if (!cannotBeMade(error) || (log && log.size > 0)) throw error
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

/** Returns the database in the shape that kysely expects; SQLite compiles each statement once. */
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

const PATIENCE_MILLISECONDS = 15_000
const PAUSE_MILLISECONDS = 20

/** Repeats the work while another connection, of this process or another, holds the lock; for 15 seconds at most. */
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
