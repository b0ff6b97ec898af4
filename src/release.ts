/** The id of a release on one cluster: `namespace/name`. */
export type ReleaseId = `${string}/${string}`

/** The kind of a requirement. `ready`: the required release is healthy first. `applied`: its objects exist first. */
export type EdgeKind = 'ready' | 'applied'

/**
 * The part of a release that needs something: a `hook`, on which helm itself waits; a `job`; a `workload`; or a `cron`
 * job, which runs later, if at all.
 */
export type Waiter = 'hook' | 'job' | 'workload' | 'cron'

/** The source of a requirement. */
export interface Evidence {
  /**
   * The kind of the source: an `annotation` of a chart, or a fact in its values; a line of the `environment`; or `inferred` from what the
   * chart renders.
   */
  readonly source: 'annotation' | 'environment' | 'inferred'
  readonly file: string
  readonly line?: number
  /** The part of the release that waits; only of what is inferred. */
  readonly waiter?: Waiter
  /** The text at that place for messages, e.g. `kk.openstack.org/requires: "mariadb"`. */
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

/** Returns true where a release is the one that a name on the command line means: `namespace/name`, or `name` alone. */
export function isNamed(release: ReleaseId, name: string): boolean {
  return release === name || releaseName(release) === name
}

/** The part that has what belongs to no component, and what all need: configuration, jobs, Secrets, accounts. */
export const COMMON = 'common'
/** The part that has the jobs for which no component waits: they wait for components in turn. */
export const ROLLOUT = 'rollout'
