import {existsSync, statSync} from 'node:fs'
import {access, constants, open} from 'node:fs/promises'
import {dirname} from 'node:path'
// The one file that knows node:sqlite: Node is about to rename what it exports.
import {DatabaseSync, type SQLInputValue} from 'node:sqlite'
import {pathToFileURL} from 'node:url'
import type {SqliteDatabase} from 'kysely'
import {makeDirectory} from '../../../../state/files/make-directory.ts'
import {cannotBeMade, FOREIGN} from './sqlite-errors.ts'
import {whileLocked} from './while-locked.ts'

/** SQLite's own waiting stops the whole process, so it is short; kk's does not. */
const BLOCKING_MILLISECONDS = 20
const FORBIDDEN: readonly string[] = ['EACCES', 'EPERM', 'EROFS']

/** A connection in the shape that kysely expects. */
export async function connectSqlite(path: string): Promise<SqliteDatabase> {
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

/** False for a file that is there, and not this user's to write, or that SQLite can make no log for. Makes one that is missing. */
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
 * A file without a log beside it has nothing that is not in itself, and nobody writes it: so it can be read where SQLite
 * may not make the files by which it shares one with writers.
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

/** Statements are compiled once. */
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
