import {mkdirSync} from 'node:fs'
import {open} from 'node:fs/promises'
import {dirname} from 'node:path'
// The one file that knows node:sqlite: Node is about to rename what it exports.
import {DatabaseSync, type SQLInputValue} from 'node:sqlite'
import {setTimeout as delay} from 'node:timers/promises'
import type {DialectAdapter, SqliteDatabase} from 'kysely'
import type {Database, Libraries} from './database.ts'
import {explainSqlite, FOREIGN, isLocked} from './sqlite-errors.ts'
import type {Tables} from './tables.ts'

/** How long a process waits for another that writes. */
const BUSY_MILLISECONDS = 10_000
const RETRY_MILLISECONDS = 20

/** Opens the file, which is made for its owner alone where it is missing. Rejects with `KK_STORE_DATABASE`. */
export async function openSqlite(
  path: string,
  {Kysely, SqliteAdapter, SqliteDialect}: Libraries,
): Promise<Database> {
  const explain = (error: unknown) => explainSqlite(error, path)
  class Adapter extends SqliteAdapter {
    // kysely takes this for a lack of SQLite; without it the migrations could stop half-way.
    override get supportsTransactionalDdl(): boolean {
      return true
    }
  }
  class Dialect extends SqliteDialect {
    override createAdapter(): DialectAdapter {
      return new Adapter()
    }
  }
  try {
    const database = await connect(path)
    return {
      db: new Kysely<Tables>({dialect: new Dialect({database: forKysely(database)})}),
      types: {id: 'integer', time: 'text'},
      // A transaction is the only writer as it is.
      lockMigrations: async () => {},
      explain,
    }
  } catch (error) {
    throw explain(error)
  }
}

async function connect(path: string): Promise<DatabaseSync> {
  mkdirSync(dirname(path), {recursive: true, mode: 0o700})
  // SQLite gives the files beside it the same permissions.
  await (await open(path, 'a', 0o600)).close()
  const database = new DatabaseSync(path, {timeout: BUSY_MILLISECONDS, enableForeignKeyConstraints: true})
  try {
    await useWriteAheadLog(database)
    refuseForeign(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** SQLite does not wait here as it does elsewhere when several processes make the file at once. */
async function useWriteAheadLog(database: DatabaseSync): Promise<void> {
  const until = Date.now() + BUSY_MILLISECONDS
  while (true) {
    try {
      database.exec('pragma journal_mode = wal; pragma synchronous = full')
      return
    } catch (error) {
      if (!isLocked(error) || Date.now() > until) throw error
      await delay(RETRY_MILLISECONDS)
    }
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
      // Whoever reads first and writes then would meet the lock too late to wait for it.
      const statement = database.prepare(text === 'begin' ? 'begin immediate' : text)
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
