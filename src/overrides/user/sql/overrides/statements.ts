import type {CompiledQuery, Kysely} from 'kysely'
import type {Row, Tables} from '../tables.ts'

/** A chart in a namespace. */
export interface Place {
  readonly name: string
  readonly namespace: string
}

/** A row as it is written; times as ISO 8601. */
export interface WrittenRow extends Place {
  readonly created_at: string
  readonly updated_at: string | null
  readonly deleted_at: string | null
  readonly user_overrides: string | null
}

/** An entry of the history as it is written. */
export interface WrittenEntry extends Place {
  readonly changed_at: string
  readonly changed_by: string
  readonly before: string | null
  readonly after: string | null
}

/** The statements of changes. */
export interface Statements {
  find(places: readonly Place[]): CompiledQuery<Row>
  /** Adds the rows, or replaces all but their `created_at`; and adds the entries in their order. To be run one after the other. */
  write(rows: readonly WrittenRow[], entries: readonly WrittenEntry[]): readonly CompiledQuery[]
}

/**
 * Compiled once for each number of rows: a service makes the same ones with every request, and compiling them costs more
 * than the database takes.
 */
export function compiledStatements(db: Kysely<Tables>): Statements {
  const any = ''
  const place = {name: any, namespace: any}
  const find = forEachNumber((rows) =>
    db
      .selectFrom('helm_overrides')
      .select(['created_at', 'updated_at', 'deleted_at', 'name', 'namespace', 'user_overrides'])
      .where((where) => where.or(Array.from({length: rows}, () => where.and(place))))
      .compile(),
  )
  const write = forEachNumber((rows) => {
    const times = {created_at: any, updated_at: any, deleted_at: any}
    return db
      .insertInto('helm_overrides')
      .values(Array.from({length: rows}, () => ({...place, ...times, user_overrides: any})))
      .onConflict((on) =>
        on.columns(['name', 'namespace']).doUpdateSet((set) => ({
          updated_at: set.ref('excluded.updated_at'),
          deleted_at: set.ref('excluded.deleted_at'),
          user_overrides: set.ref('excluded.user_overrides'),
        })),
      )
      .compile()
  })
  const record = forEachNumber((rows) => {
    const entry = {changed_at: any, changed_by: any, ...place, before: any, after: any}
    return db
      .insertInto('helm_overrides_audit')
      .values(Array.from({length: rows}, () => entry))
      .compile()
  })
  return {
    find: (places) => ({
      ...find(places.length),
      parameters: places.flatMap(({name, namespace}) => [name, namespace]),
    }),
    write: (rows, entries) => [
      {...write(rows.length), parameters: rows.flatMap(valuesOfRow)},
      {...record(entries.length), parameters: entries.flatMap(valuesOfEntry)},
    ],
  }
}

/** In the order in which the statement has its columns. */
function valuesOfRow(row: WrittenRow): readonly (string | null)[] {
  const {name, namespace, created_at, updated_at, deleted_at, user_overrides} = row
  return [name, namespace, created_at, updated_at, deleted_at, user_overrides]
}

function valuesOfEntry(entry: WrittenEntry): readonly (string | null)[] {
  const {changed_at, changed_by, name, namespace, before, after} = entry
  return [changed_at, changed_by, name, namespace, before, after]
}

function forEachNumber<T>(compile: (rows: number) => T): (rows: number) => T {
  const compiled = new Map<number, T>()
  return (rows) => {
    const known = compiled.get(rows) ?? compile(rows)
    compiled.set(rows, known)
    return known
  }
}
