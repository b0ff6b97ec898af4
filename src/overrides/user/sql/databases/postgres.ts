import {locationText, type StoreLocation} from '../../location.ts'
import {jsonStatements} from '../overrides/json-statements.ts'
import type {Tables} from '../tables.ts'
import type {Database, Libraries} from './database.ts'
import {explainPostgres} from './postgres-errors.ts'

const CONNECT_MILLISECONDS = 10_000
const QUERY_MILLISECONDS = 30_000
/** Chosen once, and never to change: kk's of different versions must wait for each other. */
const MIGRATION_LOCK = 7_053_122_911

/** Connects to PostgreSQL on first use. */
export async function openPostgres(
  location: Extract<StoreLocation, {kind: 'postgres'}>,
  {CompiledQuery, Kysely, Pool, PostgresDialect, sql}: Libraries,
): Promise<Database> {
  const explain = (error: unknown) => explainPostgres(error, locationText(location))
  try {
    const pool = new Pool({
      connectionString: location.url,
      application_name: 'kk',
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      query_timeout: QUERY_MILLISECONDS,
      // Where a connection waits, node must not: the command ends when it is done.
      allowExitOnIdle: true,
    })
    // A connection that breaks while nobody uses it is replaced by the next query.
    pool.on('error', () => {})
    // One that breaks during a query rejects that query, and must not end the process beside.
    pool.on('connect', (client) => void client.on('error', () => {}))
    return {
      db: new Kysely<Tables>({dialect: new PostgresDialect({pool})}),
      statements: jsonStatements(CompiledQuery.raw),
      types: {id: 'serial', time: 'timestamptz'},
      lockMigrations: async (transaction) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
      },
      // Readers go on; whoever else writes waits, also one that knows nothing of kk.
      lockOverrides: async (transaction) => {
        await sql`lock table helm_overrides in share row exclusive mode`.execute(transaction)
      },
      // A server tells of itself when a database is gone.
      expectPresent: () => {},
      explain,
    }
  } catch (error) {
    throw explain(error)
  }
}
