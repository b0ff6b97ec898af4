import type {Kysely} from 'kysely'
import type * as libraries from './libraries.ts'
import type {Tables} from './tables.ts'

export type Libraries = typeof libraries

/** A database that is connected, with all in which SQLite and PostgreSQL differ. */
export interface Database {
  readonly db: Kysely<Tables>
  /** Column types of this kind of database. */
  readonly types: {readonly id: 'integer' | 'serial'; readonly time: 'text' | 'timestamptz'}
  /** Lets nobody else migrate until the transaction ends. */
  lockMigrations(transaction: Kysely<Tables>): Promise<void>
  /** Lets nobody else write overrides until the transaction ends. */
  lockOverrides(transaction: Kysely<Tables>): Promise<void>
  /** Throws `KK_STORE_DATABASE` where the location of the store leads to another file by now, or to none. */
  expectPresent(): void
  /** Returns an error of the database in words for people, without values or passwords; any other as it is. */
  explain(error: unknown): unknown
}
