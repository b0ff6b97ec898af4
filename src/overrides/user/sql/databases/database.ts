import type {Kysely} from 'kysely'
import type {Statements} from '../overrides/statements.ts'
import type {Tables} from '../tables.ts'
import type * as libraries from './libraries.ts'

export type Libraries = typeof libraries

/** A database that is connected; where the two kinds differ, it says how. */
export interface Database {
  readonly db: Kysely<Tables>
  /** Column types of this kind of database. */
  readonly types: {readonly id: 'integer' | 'serial'; readonly time: 'text' | 'timestamptz'}
  readonly statements: Statements
  /** Lets nobody else migrate until the transaction ends. */
  lockMigrations(transaction: Kysely<Tables>): Promise<void>
  /** Lets nobody else write overrides until the transaction ends. */
  lockOverrides(transaction: Kysely<Tables>): Promise<void>
  /** Throws `KK_STORE_DATABASE` where what is open is not what the store's place leads to any more. */
  expectPresent(): void
  /** What went wrong, said for people and without values or passwords; anything else as it is. */
  explain(error: unknown): unknown
}
