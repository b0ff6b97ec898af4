import {KkError} from '../../../base/errors.ts'
import {locationText, type StoreLocation} from '../location.ts'
import type {Database, Libraries, Tables} from './database.ts'

const CONNECT_MILLISECONDS = 10_000
const QUERY_MILLISECONDS = 30_000
/** A fixed number that must never change: different versions of kk must wait for each other. */
const MIGRATION_LOCK = 7_053_122_911

/** Connects to PostgreSQL on first use. */
export async function openPostgres(
  location: Extract<StoreLocation, {kind: 'postgres'}>,
  {Kysely, Pool, PostgresDialect, sql}: Libraries,
): Promise<Database> {
  const explain = (error: unknown) => explainPostgres(error, locationText(location))
  try {
    const pool = new Pool({
      connectionString: location.url,
      application_name: 'kk',
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      query_timeout: QUERY_MILLISECONDS,
      // An idle connection does not keep the process alive: the command ends when it is done.
      allowExitOnIdle: true,
    })
    // An idle connection that breaks is replaced by the next query.
    pool.on('error', () => {})
    // One that breaks during a query rejects that query, and must not end the process in addition.
    pool.on('connect', (client) => void client.on('error', () => {}))
    return {
      db: new Kysely<Tables>({dialect: new PostgresDialect({pool})}),
      types: {id: 'serial', time: 'timestamptz'},
      lockMigrations: async (transaction) => {
        await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
      },
      // Readers continue; any other writer waits, even one that does not know kk.
      lockOverrides: async (transaction) => {
        await sql`lock table helm_overrides in share row exclusive mode`.execute(transaction)
      },
      // The server itself reports that a database is missing.
      expectPresent: () => {},
      explain,
    }
  } catch (error) {
    throw explain(error)
  }
}

/** The hints by SQLSTATE, or by its class; of PostgreSQL's appendix A. */
const HINTS: Readonly<Record<string, string>> = {
  '28': 'check user and password; the password may also be in PGPASSWORD or ~/.pgpass',
  '3D': 'create the database with `createdb`, or name another',
  '42501': 'the user must own the database, or have the right to create tables in its schema',
  '53': 'the server is short of memory, disk or connections',
  '25006': 'name the primary server: a standby only reads',
}

const NETWORK_HINT = 'check that the server runs, and that host and port are right'

/**
 * Returns an error of PostgreSQL or of the connection as `KK_STORE_DATABASE`; any other unchanged. The
 * server's details and the cause are omitted, because they contain rows and connection strings.
 */
function explainPostgres(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof KkError) return error
  const {code, severity, syscall} = error as Error & {code?: string; severity?: string; syscall?: string}
  const message = errorMessage(error)
  const ofServer = severity !== undefined && code !== undefined
  const ofNetwork =
    syscall !== undefined || /timeout|terminated|connection|SSL|certificate|SASL/i.test(message)
  if (!ofServer && !ofNetwork) return error
  const hint = ofServer ? (HINTS[code] ?? HINTS[code.slice(0, 2)]) : NETWORK_HINT
  return new KkError('KK_STORE_DATABASE', `the override store ${place} cannot be used: ${message}`, {
    ...(hint && {hint}),
  })
}

/**
 * Returns the message of an error; if node tried several addresses, it has one for each and none for the
 * whole.
 */
function errorMessage(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((each) => (each as Error).message).join('; ')
  return error.message
}
