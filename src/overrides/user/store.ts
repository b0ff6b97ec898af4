/** What the deployer overrides of one chart in one namespace. */
export interface StoredOverrides {
  readonly name: string
  readonly namespace: string
  /** YAML, as it is printed; null after a deletion. */
  readonly userOverrides: string | null
  /** Changes whenever the overrides change; what `put` compares. */
  readonly etag: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly updatedAt: string | null
  readonly deletedAt: string | null
}

/** Who changed what, and when. */
export interface AuditEntry {
  /** Ascending, without gaps that matter: the state of the store. */
  readonly id: number
  readonly at: string
  readonly who: string
  readonly name: string
  readonly namespace: string
  /** YAML; null for none. */
  readonly before: string | null
  readonly after: string | null
}

export interface StoreIdentity {
  /** A UUID, made with the store. */
  readonly id: string
  /** UID of the cluster's namespace `kube-system`; undefined until the store has been used with a cluster. */
  readonly cluster: string | undefined
  /** Grows with every change: the id of the newest audit entry, 0 for none. */
  readonly state: number
}

export interface OverrideChange {
  readonly name: string
  readonly namespace: string
  /** YAML; null deletes. */
  readonly userOverrides: string | null
  readonly who: string
  /** Of what the change was made from; undefined where there was none. Another one there is `KK_CONFLICT`. */
  readonly expected: string | undefined
  /** To be encrypted at rest. */
  readonly secret: boolean
}

/** A generated password or key, for work without a cluster; encrypted at rest. */
export interface StoredSecret {
  readonly name: string
  readonly namespace: string
  readonly value: string
}

/** The deployer's overrides, their history and generated secrets. One database, SQLite or PostgreSQL. */
export interface OverrideStore {
  identity(): Promise<StoreIdentity>
  /** Binds the store to a cluster; rejects with `KK_STORE` when it belongs to another. */
  bind(cluster: string): Promise<void>
  /** By name, then namespace; without deleted ones. */
  list(): Promise<readonly StoredOverrides[]>
  /** Undefined when there never were any. */
  get(name: string, namespace: string): Promise<StoredOverrides | undefined>
  /** Rejects with `KK_CONFLICT` when somebody else was faster. */
  put(change: OverrideChange): Promise<StoredOverrides>
  /** Newest first. */
  audit(of?: {readonly name: string; readonly namespace: string}): Promise<readonly AuditEntry[]>
  secrets(): Promise<readonly StoredSecret[]>
  /** An existing one is replaced only with `replace`; the one that is stored afterwards comes back. */
  putSecret(secret: StoredSecret, options?: {readonly replace?: boolean}): Promise<StoredSecret>
  close(): Promise<void>
}
