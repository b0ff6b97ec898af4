/** Rights on a resource, and their purpose. */
export interface Need {
  /** The API group; empty for the core. */
  readonly group: string
  /** The plural, with a subresource where there is one: `pods/log`. */
  readonly resource: string
  readonly verbs: readonly string[]
  /**
   * The namespaces of the right. `cluster`: objects in no namespace, or in all namespaces at once. `kk-system`: the
   * namespace of Leases and records of runs. `release`: the namespace of each release.
   */
  readonly where: 'cluster' | 'kk-system' | 'release'
  /** The names, if only these objects are meant. */
  readonly names?: readonly string[]
  /** The purpose, for people. */
  readonly why: string
  /** The way in which the verb goes on without the right, for people; if left out, it does not. */
  readonly without?: string
}
