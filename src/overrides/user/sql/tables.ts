import type {ColumnType, Generated, Selectable} from 'kysely'

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

/** Of `helm_overrides`, but for its number. */
export type Row = Omit<Selectable<HelmOverrides>, 'id'>

/** A time of either database as ISO 8601. */
export function isoTime(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value
}
