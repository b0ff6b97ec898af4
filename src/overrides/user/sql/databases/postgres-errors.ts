import {KkError} from '../../../../errors.ts'

/** By SQLSTATE, or by its class; of PostgreSQL's appendix A. */
const HINTS: Readonly<Record<string, string>> = {
  '28': 'check user and password; the password may also stand in PGPASSWORD or ~/.pgpass',
  '3D': 'make the database with `createdb`, or name another',
  '42501': 'the user must own the database, or have the right to create tables in its schema',
  '53': 'the server is short of memory, disk or connections',
  '25006': 'name the primary server: a standby only reads',
}

const NETWORK_HINT = 'check that the server runs, and that host and port are right'

/**
 * An error of PostgreSQL or of the connection as `KK_STORE_DATABASE`; any other as it is. The server's details and the
 * cause are left out: rows and connection strings stand in them.
 */
export function explainPostgres(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof KkError) return error
  const {code, severity, syscall} = error as Error & {code?: string; severity?: string; syscall?: string}
  const said = messageOf(error)
  const ofServer = severity !== undefined && code !== undefined
  const ofNetwork = syscall !== undefined || /timeout|terminated|connection|SSL|certificate|SASL/i.test(said)
  if (!ofServer && !ofNetwork) return error
  const hint = ofServer ? (HINTS[code] ?? HINTS[code.slice(0, 2)]) : NETWORK_HINT
  return new KkError('KK_STORE_DATABASE', `the store of overrides ${place} cannot be used: ${said}`, {
    ...(hint && {hint}),
  })
}

/** Of several addresses that were tried, node tells each, and the whole has no message. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((each) => (each as Error).message).join('; ')
  return error.message
}
