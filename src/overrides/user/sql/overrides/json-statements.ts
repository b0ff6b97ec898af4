import type {CompiledQuery} from 'kysely'
import type {Row} from '../tables.ts'
import type {Statements} from './statements.ts'

/** Columns as `json_to_recordset` is told them. */
const PLACE = 'name text, namespace text'
const ROW = `${PLACE}, created_at timestamptz, updated_at timestamptz, deleted_at timestamptz, user_overrides text`
const ENTRY = `changed_at timestamptz, changed_by text, ${PLACE}, before text, after text`

const FIND = `select created_at, updated_at, deleted_at, name, namespace, user_overrides
from helm_overrides join json_to_recordset($1) as place (${PLACE}) using (name, namespace)`

const WRITE = `with written as (
  insert into helm_overrides (name, namespace, created_at, updated_at, deleted_at, user_overrides)
  select name, namespace, created_at, updated_at, deleted_at, user_overrides from json_to_recordset($1) as row (${ROW})
  on conflict (name, namespace) do update set updated_at = excluded.updated_at, deleted_at = excluded.deleted_at,
    user_overrides = excluded.user_overrides
)
insert into helm_overrides_audit (changed_at, changed_by, name, namespace, before, after)
select changed_at, changed_by, name, namespace, before, after from json_to_recordset($2) as entry (${ENTRY})`

/**
 * The statements of changes for PostgreSQL: all rows in one parameter, because planning a statement with hundreds of
 * them takes it longer than doing what it says; and what is written in one, because each is a way to the server and back.
 */
export function jsonStatements(raw: (sql: string, parameters: unknown[]) => CompiledQuery): Statements {
  return {
    find: (places) =>
      raw(FIND, [
        JSON.stringify(places.map(({name, namespace}) => ({name, namespace}))),
      ]) as CompiledQuery<Row>,
    write: (rows, entries) => [raw(WRITE, [JSON.stringify(rows), JSON.stringify(entries)])],
  }
}
