type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the environment for a program other than kk: without kk's own variables, which include keys, tokens
 * and the address of the store, and without the database password. Child processes inherit their environment.
 */
export function foreignEnvironment(env: Environment): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith('KK_') && entry[0] !== 'PGPASSWORD',
  )
  return Object.fromEntries(entries)
}
