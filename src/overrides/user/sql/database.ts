import type {ColumnType, Generated, Kysely, Selectable} from 'kysely'
import type * as libraries from './libraries.ts'

export type Libraries = typeof libraries

/** A connected database, with everything in which SQLite and PostgreSQL differ. */
export interface Database {
  readonly db: Kysely<Tables>
  /** Column types of this kind of database. */
  readonly types: {readonly id: 'integer' | 'serial'; readonly time: 'text' | 'timestamptz'}
  /** Blocks other migrations until the transaction ends. */
  lockMigrations(transaction: Kysely<Tables>): Promise<void>
  /** Blocks other writers of overrides until the transaction ends. */
  lockOverrides(transaction: Kysely<Tables>): Promise<void>
  /** Throws `KK_STORE_DATABASE` if the location of the store now refers to another file, or to none. */
  expectPresent(): void
  /**
   * Returns an error of the database as a `KkError`, without values or passwords; any other error unchanged.
   */
  explain(error: unknown): unknown
}

/** Written as ISO 8601; SQLite returns the string, PostgreSQL a Date. */
type Time = ColumnType<Date | string, string, string>
type OptionalTime = ColumnType<Date | string | null, string | null, string | null>

/** The table of the specification of StarlingX, column by column. */
interface HelmOverrides {
  readonly id: Generated<number>
  readonly created_at: Time
  readonly updated_at: OptionalTime
  readonly deleted_at: OptionalTime
  readonly name: string
  readonly namespace: string
  /** The YAML, possibly encrypted; null after a deletion. */
  readonly user_overrides: string | null
}

interface HelmOverridesAudit {
  readonly id: Generated<number>
  readonly changed_at: Time
  readonly changed_by: string
  readonly name: string
  readonly namespace: string
  readonly before: string | null
  readonly after: string | null
}

interface KkSecrets {
  readonly name: string
  readonly namespace: string
  /** Always encrypted. */
  readonly value: string
  readonly created_at: Time
  readonly updated_at: OptionalTime
}

/** The table has exactly one row. */
interface KkStore {
  readonly id: string
  readonly cluster: string | null
  /** The number of changes before this database was restored from a backup. */
  readonly earlier_changes: number
}

export interface Tables {
  readonly helm_overrides: HelmOverrides
  readonly helm_overrides_audit: HelmOverridesAudit
  readonly kk_secrets: KkSecrets
  readonly kk_store: KkStore
}

/** A row of `helm_overrides` without its `id`. */
export type Row = Omit<Selectable<HelmOverrides>, 'id'>
