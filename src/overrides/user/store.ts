/** A chart in a namespace. */
export interface ChartPlace {
  readonly name: string
  readonly namespace: string
}

/** The deployer's overrides of one chart in one namespace. */
export interface StoredOverrides {
  readonly name: string
  readonly namespace: string
  /** YAML, as it is printed; null after a deletion. */
  readonly userOverrides: string | null
  /** Changes whenever the overrides change; what `put` compares. */
  readonly etag: string
  /** The encrypted text as it stands in the database; undefined where nothing is encrypted. `put` accepts it again. */
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

/** A part of a history: at most so many entries, all older than one of that id. */
export interface AuditPage {
  readonly limit?: number | undefined
  readonly before?: number | undefined
}

/** A change in the history, with whether each text is encrypted in the store. */
export interface StoredEntry extends AuditEntry {
  readonly sealed: Readonly<Record<'before' | 'after', boolean>>
}

export interface StoreIdentity {
  /** A UUID, made with the store. */
  readonly id: string
  /** UID of the cluster's namespace `kube-system`; undefined until the store has been used with a cluster. */
  readonly cluster: string | undefined
  /** How many changes were ever made to overrides: 0 for a new store, and higher after each change. */
  readonly state: number
}

export interface OverrideChange {
  readonly name: string
  readonly namespace: string
  /** YAML, or what stood as `sealed` for the same chart and namespace; null deletes. */
  readonly userOverrides: string | null
  readonly who: string
  /** The etag of what the change was made from; undefined where there was none, or a deleted one. */
  readonly expected: string | undefined
  /** To be encrypted at rest. */
  readonly secret: boolean
  /** Where the secrets stand, as far as that is known: named when no key is given. */
  readonly secretAt?: readonly (readonly string[])[]
}

/** The chart and namespace whose overrides are changed, and who changes them. */
export type ChangedPlace = Pick<OverrideChange, 'name' | 'namespace' | 'who'>

/** The overrides after a change. */
export type NextOverrides = Pick<OverrideChange, 'userOverrides' | 'secret' | 'secretAt'>

/** A generated password or key, for work without a cluster; encrypted at rest. */
export interface StoredSecret {
  readonly name: string
  readonly namespace: string
  readonly value: string
}

export interface DatedSecret extends StoredSecret {
  /** ISO 8601: when this value was made or taken in. */
  readonly since: string
}

/** The content of one transaction, of which all is written or nothing. */
export interface StoreContent {
  readonly changes: readonly OverrideChange[]
  /** Replace those that exist. */
  readonly secrets: readonly StoredSecret[]
  /** The identity that the store takes on, if nothing was ever written to it: a backup is then the store that it was made of. */
  readonly identity: StoreIdentity | undefined
}

/**
 * The deployer's overrides, their history and generated secrets. One database, SQLite or PostgreSQL.
 * Everything may reject with `KK_STORE_DATABASE`, and what meets an encrypted text with `KK_STORE_KEY`.
 */
export interface OverrideStore {
  identity(): Promise<StoreIdentity>
  /** Rejects with `KK_STORE_KEY` where overrides or secrets are encrypted with a key that was not given. */
  expectKeys(): Promise<void>
  /** Binds the store to a cluster; rejects with `KK_STORE` when it belongs to another, unless that is to be replaced. */
  bind(cluster: string, options?: {readonly replace?: boolean}): Promise<void>
  /** Returns all overrides, by name, then namespace; without deleted ones. */
  list(): Promise<readonly StoredOverrides[]>
  /** Returns the overrides of a chart; undefined when there never were any. */
  get(name: string, namespace: string): Promise<StoredOverrides | undefined>
  /**
   * Writes what `next` makes of what stands there; nobody else writes meanwhile, so that no change is lost. Returns
   * what stands there afterwards. A change that changes nothing is not written. Rejects with what `next` throws.
   */
  update(
    of: ChangedPlace,
    next: (current: StoredOverrides | undefined) => NextOverrides,
  ): Promise<StoredOverrides>
  /** Writes a change that was made before. Rejects with `KK_STORE_CONFLICT` when somebody else was faster. */
  put(change: OverrideChange): Promise<StoredOverrides>
  putAll(content: StoreContent): Promise<void>
  /** Returns the history, newest first. */
  audit(
    of?: {readonly name: string; readonly namespace: string},
    page?: AuditPage,
  ): Promise<readonly StoredEntry[]>
  /** Returns the generated secrets, by namespace, then name. */
  secrets(): Promise<readonly DatedSecret[]>
  /** Adds a secret; an existing one is replaced only with `replace`. Returns the one that is stored afterwards. */
  putSecret(secret: StoredSecret, options?: {readonly replace?: boolean}): Promise<DatedSecret>
  close(): Promise<void>
}
