type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the environment of a program that is not kk: without kk's own variables, among which are keys, tokens and the
 * address of the store, and without the password of its database. A program hands its environment to all that it starts.
 */
export function foreignEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith('KK_') && entry[0] !== 'PGPASSWORD',
  )
  return Object.fromEntries(kept)
}
