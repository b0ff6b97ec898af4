/** A release on one cluster: `namespace/name`. */
export type ReleaseId = `${string}/${string}`

/** `ready`: the required release is healthy first. `applied`: its objects exist first. */
export type EdgeKind = 'ready' | 'applied'

/** Values of a chart: plain data, as read from YAML or JSON. */
export interface Values {
  readonly [key: string]: unknown
}

/** A place in a file, 1-based, as it is printed in messages. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Who needs something: a `hook`, on which helm itself waits; a `job`; a `workload`; or what runs later, if at all (`cron`). */
export type Waiter = 'hook' | 'job' | 'workload' | 'cron'

/** What a requirement was read from. */
export interface Evidence {
  /** `annotation` of a chart, a line of the `environment`, or `inferred` from what the chart renders. */
  readonly source: 'annotation' | 'environment' | 'inferred'
  readonly file: string
  readonly line?: number
  /** Of what is inferred: who waits. */
  readonly waiter?: Waiter
  /** For people: what stands there, e.g. `kk.openstack.org/requires: "mariadb"`. */
  readonly text: string
}

export function releaseId(namespace: string, name: string): ReleaseId {
  return `${namespace}/${name}`
}

export function releaseName(id: ReleaseId): string {
  return id.slice(id.indexOf('/') + 1)
}

export function releaseNamespace(id: ReleaseId): string {
  return id.slice(0, id.indexOf('/'))
}
