import {hash} from 'node:crypto'

/** A password or key that kk made, or took in, and keeps in the cluster. */
export interface KeptSecret {
  readonly value: string
  /** Undefined where somebody else put it there; so for `since`. */
  readonly kind: string | undefined
  /** ISO 8601: when this value was made or taken in. */
  readonly since: string | undefined
  /** What it replaced, newest first: so much of a digest of each (`secretMark`) that a value which was in use is known again. */
  readonly former?: readonly string[]
}

/** Too little to find the value by: of 4 billion that one might try, each mark has one. */
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
  /** Of the releases in a namespace; empty where there are none. */
  read(namespace: string): Promise<SecretsByName>
  /** By namespace. */
  list(): Promise<ReadonlyMap<string, SecretsByName>>
  /**
   * Adds secrets and resolves with all that are kept there afterwards: one that exists is left as it is, also when
   * somebody else was faster, unless it is to be replaced.
   */
  keep(
    namespace: string,
    secrets: readonly NewSecret[],
    options?: {readonly replace?: boolean},
  ): Promise<SecretsByName>
}
