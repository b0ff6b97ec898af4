import {hash} from 'node:crypto'
import type {ColumnType, Generated, Selectable} from 'kysely'
import {type Cipher, isSealed} from '../cipher.ts'
import type {StoredOverrides} from '../store.ts'

/** Written as ISO 8601; SQLite gives the text back, PostgreSQL a Date. */
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
  /** YAML, or encrypted YAML; null once deleted. */
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

/** One row. */
interface KkStore {
  readonly id: string
  readonly cluster: string | null
  /** Changes that were made before this database was restored from a backup. */
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

/** Returns a time of either database as ISO 8601. */
export function isoTime(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value
}

/** Returns a row as the store shows it. Throws `KK_STORE_KEY` for one that is encrypted with another key. */
export function storedOverrides(row: Row, cipher: Cipher): StoredOverrides {
  const raw = row.user_overrides
  return {
    name: row.name,
    namespace: row.namespace,
    userOverrides: raw === null ? null : cipher.open(raw, ['overrides', row.name, row.namespace]),
    etag: etagOf(raw),
    sealed: raw !== null && isSealed(raw) ? raw : undefined,
    createdAt: isoTime(row.created_at),
    updatedAt: row.updated_at === null ? null : isoTime(row.updated_at),
    deletedAt: row.deleted_at === null ? null : isoTime(row.deleted_at),
  }
}

/** Returns what tells whether a row has changed: a digest of the text as it is stored, of null after a deletion. */
export function etagOf(raw: string | null): string {
  return hash('sha256', raw === null ? 'null' : `text ${raw}`).slice(0, 32)
}
