import {hash} from 'node:crypto'

/** A password or key that kk made or imported, and keeps in the cluster. */
export interface KeptSecret {
  readonly value: string
  /** The kind; undefined if somebody else put the secret there, as is `since`. */
  readonly kind: string | undefined
  /** The time at which this value was made or imported, ISO 8601. */
  readonly since: string | undefined
  /**
   * Marks of the values that it replaced, newest first (`secretMark`), by which a value that was in use is recognised.
   */
  readonly former?: readonly string[]
}

/**
 * Returns a mark of a value: a part of its digest, too short to find the value by, for one in 4 billion guesses has the
 * same mark.
 */
export function secretMark(name: string, value: string): string {
  return hash('sha256', JSON.stringify([name, value])).slice(0, 8)
}

export interface NewSecret {
  readonly name: string
  readonly value: string
  readonly kind: string
}

export type SecretsByName = ReadonlyMap<string, KeptSecret>

/** Generated passwords and keys: one Secret in `kk-system` for each namespace. */
export interface KeptSecrets {
  /** Returns the secrets of the releases in a namespace; empty if there are none. */
  read(namespace: string): Promise<SecretsByName>
  /** Returns all secrets, by namespace. */
  list(): Promise<ReadonlyMap<string, SecretsByName>>
  /**
   * Adds secrets and resolves with all that are kept there afterwards. One that exists stays as it is, also if somebody
   * else was faster, unless `replace`.
   */
  keep(
    namespace: string,
    secrets: readonly NewSecret[],
    options?: {readonly replace?: boolean},
  ): Promise<SecretsByName>
}
