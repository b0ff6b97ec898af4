/** A password or key that kk made, or took in, and keeps in the cluster. */
export interface KeptSecret {
  readonly value: string
  /** Undefined where somebody else put it there; so for `since`. */
  readonly kind: string | undefined
  /** ISO 8601: when this value was made or taken in. */
  readonly since: string | undefined
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
