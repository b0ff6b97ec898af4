import type {CompiledQuery, Kysely} from 'kysely'
import type {Row, Tables} from './tables.ts'

/**
 * The statements of each change, compiled once: a service makes the same ones with every request, and compiling them
 * costs more than the database takes. Each takes the values of its columns in the order that is given.
 */
export interface Statements {
  /** `[name, namespace]` */
  readonly find: CompiledQuery<Row>
  /** `[name, namespace, created_at, updated_at, deleted_at, user_overrides]`; nothing where there is one. */
  readonly add: CompiledQuery
  /** `[updated_at, deleted_at, user_overrides, name, namespace, user_overrides before]` */
  readonly replace: CompiledQuery
  /** `[changed_at, changed_by, name, namespace, before, after]` */
  readonly record: CompiledQuery
}

export function compileStatements(db: Kysely<Tables>): Statements {
  const any = ''
  return {
    find: db
      .selectFrom('helm_overrides')
      .select(['created_at', 'updated_at', 'deleted_at', 'name', 'namespace', 'user_overrides'])
      .where('name', '=', any)
      .where('namespace', '=', any)
      .compile(),
    add: db
      .insertInto('helm_overrides')
      .values({
        name: any,
        namespace: any,
        created_at: any,
        updated_at: any,
        deleted_at: any,
        user_overrides: any,
      })
      .onConflict((on) => on.columns(['name', 'namespace']).doNothing())
      .compile(),
    replace: db
      .updateTable('helm_overrides')
      .set({updated_at: any, deleted_at: any, user_overrides: any})
      .where('name', '=', any)
      .where('namespace', '=', any)
      .where('user_overrides', 'is not distinct from', any)
      .compile(),
    record: db
      .insertInto('helm_overrides_audit')
      .values({changed_at: any, changed_by: any, name: any, namespace: any, before: any, after: any})
      .compile(),
  }
}

/** Runs a statement with these values. */
export async function runStatement<T>(
  db: Kysely<Tables>,
  statement: CompiledQuery<T>,
  parameters: readonly (string | null)[],
) {
  return db.executeQuery<T>({...statement, parameters})
}
