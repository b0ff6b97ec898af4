/** A chart in a namespace. */
export interface ChartPlace {
  readonly name: string
  readonly namespace: string
}

/** The deployer's overrides of one chart in one namespace. */
export interface StoredOverrides {
  readonly name: string
  readonly namespace: string
  /** The YAML as printed; null after a deletion. */
  readonly userOverrides: string | null
  /** Changes whenever the overrides change; `put` compares it. */
  readonly etag: string
  /**
   * The encrypted string as in the database; undefined if it is not encrypted. `put` accepts it unchanged.
   */
  readonly sealed: string | undefined
  /** ISO 8601. */
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
}

/** A change in the history. */
export interface AuditEntry {
  /** Ascending. */
  readonly id: number
  readonly at: string
  readonly who: string
  readonly name: string
  readonly namespace: string
  /** YAML; null for none. */
  readonly before: string | null
  readonly after: string | null
}

/** A page of a history: at most `limit` entries, all older than the one with the id `before`. */
export interface AuditPage {
  readonly limit?: number | undefined
  readonly before?: number | undefined
}

/** A change in the history, with whether each string is encrypted in the store. */
export interface StoredEntry extends AuditEntry {
  readonly sealed: Readonly<Record<'before' | 'after', boolean>>
}

export interface StoreIdentity {
  /** A UUID, created with the store. */
  readonly id: string
  /** UID of the cluster's namespace `kube-system`; undefined until the store has been used with a cluster. */
  readonly cluster: string | undefined
  /** The number of changes of overrides so far: 0 for a new store, and higher after each change. */
  readonly state: number
}

export interface OverrideChange {
  readonly name: string
  readonly namespace: string
  /** The YAML, or the value of `sealed` for the same chart and namespace; null deletes. */
  readonly userOverrides: string | null
  readonly who: string
  /** The etag on which the change is based; undefined without overrides, or for deleted ones. */
  readonly expected: string | undefined
  /** Whether to encrypt it at rest. */
  readonly secret: boolean
  /** The paths of the secrets, as far as known: named in the error if no key is set. */
  readonly secretAt?: readonly (readonly string[])[]
}

/** The chart and namespace whose overrides change, and the author. */
export type ChangedPlace = Pick<OverrideChange, 'name' | 'namespace' | 'who'>

/** The overrides after a change. */
export type NextOverrides = Pick<OverrideChange, 'userOverrides' | 'secret' | 'secretAt'>

/** A generated password or key, for use without a cluster; encrypted at rest. */
export interface StoredSecret {
  readonly name: string
  readonly namespace: string
  readonly value: string
}

export interface DatedSecret extends StoredSecret {
  /** The time at which this value was generated or imported, ISO 8601. */
  readonly since: string
}

/** The content of one transaction, which is written completely or not at all. */
export interface StoreContent {
  readonly changes: readonly OverrideChange[]
  /** Replace existing ones. */
  readonly secrets: readonly StoredSecret[]
  /** The identity that the store takes over, if it was never written: a restored backup is the same store. */
  readonly identity: StoreIdentity | undefined
}

/**
 * The deployer's overrides, their history and generated secrets, in one database, SQLite or PostgreSQL. Every
 * method may reject with `KK_STORE_DATABASE`, and those that read an encrypted string with `KK_STORE_KEY`.
 */
export interface OverrideStore {
  identity(): Promise<StoreIdentity>
  /** Rejects with `KK_STORE_KEY` if overrides or secrets are encrypted with a key that is not set. */
  expectKeys(): Promise<void>
  /**
   * Binds the store to a cluster; rejects with `KK_STORE` if it belongs to another, unless `replace` is set.
   */
  bind(cluster: string, options?: {readonly replace?: boolean}): Promise<void>
  /** Returns all overrides, by name, then namespace; without deleted ones. */
  list(): Promise<readonly StoredOverrides[]>
  /** Returns the overrides of a chart; undefined if there never were any. */
  get(name: string, namespace: string): Promise<StoredOverrides | undefined>
  /**
   * Writes the result of `next` for the present overrides; concurrent writers wait, so that no change is
   * lost. Returns the overrides afterwards. An update without changes is not written. Rejects with the errors
   * of `next`.
   */
  update(
    of: ChangedPlace,
    next: (current: StoredOverrides | undefined) => NextOverrides,
  ): Promise<StoredOverrides>
  /**
   * Writes a change that was computed before. Rejects with `KK_STORE_CONFLICT` if another change came first.
   */
  put(change: OverrideChange): Promise<StoredOverrides>
  putAll(content: StoreContent): Promise<void>
  /** Returns the history, newest first. */
  audit(
    of?: {readonly name: string; readonly namespace: string},
    page?: AuditPage,
  ): Promise<readonly StoredEntry[]>
  /** Returns the generated secrets, by namespace, then name. */
  secrets(): Promise<readonly DatedSecret[]>
  /**
   * Adds a secret; an existing one is replaced only with `replace`. Returns the one that is stored
   * afterwards.
   */
  putSecret(secret: StoredSecret, options?: {readonly replace?: boolean}): Promise<DatedSecret>
  close(): Promise<void>
}
