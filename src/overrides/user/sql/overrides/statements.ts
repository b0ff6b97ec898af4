import type {CompiledQuery, Kysely} from 'kysely'
import type {Row, Tables} from '../tables.ts'

/**
 * The statements of changes, compiled once for each number of rows: a service makes the same ones with every request,
 * and compiling them costs more than the database takes. Each takes the values of its columns, row by row.
 */
export interface Statements {
  /** `[name, namespace]` */
  readonly find: (rows: number) => CompiledQuery<Row>
  /** `[name, namespace, created_at, updated_at, deleted_at, user_overrides]`; adds them, or replaces all but `created_at`. */
  readonly write: (rows: number) => CompiledQuery
  /** `[changed_at, changed_by, name, namespace, before, after]` */
  readonly record: (rows: number) => CompiledQuery
}

export function compileStatements(db: Kysely<Tables>): Statements {
  const any = ''
  const place = {name: any, namespace: any}
  return {
    find: forEachNumber((rows) =>
      db
        .selectFrom('helm_overrides')
        .select(['created_at', 'updated_at', 'deleted_at', 'name', 'namespace', 'user_overrides'])
        .where((where) => where.or(Array.from({length: rows}, () => where.and(place))))
        .compile(),
    ),
    write: forEachNumber((rows) => {
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
    }),
    record: forEachNumber((rows) => {
      const entry = {changed_at: any, changed_by: any, ...place, before: any, after: any}
      return db
        .insertInto('helm_overrides_audit')
        .values(Array.from({length: rows}, () => entry))
        .compile()
    }),
  }
}

/** Runs a statement with these values. */
export async function runStatement<T>(
  db: Kysely<Tables>,
  statement: CompiledQuery<T>,
  parameters: readonly (string | null)[],
): Promise<readonly T[]> {
  return (await db.executeQuery<T>({...statement, parameters})).rows
}

function forEachNumber<T>(compile: (rows: number) => T): (rows: number) => T {
  const compiled = new Map<number, T>()
  return (rows) => {
    const known = compiled.get(rows) ?? compile(rows)
    compiled.set(rows, known)
    return known
  }
}
