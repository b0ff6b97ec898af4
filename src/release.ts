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

/** What a requirement was read from. */
export interface Evidence {
  /** `annotation` of a chart, or a line of the `environment`. */
  readonly source: 'annotation' | 'environment'
  readonly file: string
  readonly line?: number
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
