/** Some rights, and what they are for. */
export interface Need {
  /** The API group; empty for the core. */
  readonly group: string
  /** The plural, with a subresource where there is one: `pods/log`. */
  readonly resource: string
  readonly verbs: readonly string[]
  /**
   * `cluster`: what lies in no namespace, or all namespaces at once. `kk-system`: where kk keeps Leases and records of
   * runs. `release`: the namespace of each release.
   */
  readonly where: 'cluster' | 'kk-system' | 'release'
  /** Only the objects of these names. */
  readonly names?: readonly string[]
  /** For people: what it is needed for. */
  readonly why: string
  /** For people: how the verb goes on without; where this is missing, it does not. */
  readonly without?: string
}
