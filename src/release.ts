/** The id of a release on one cluster: `namespace/name`. */
export type ReleaseId = `${string}/${string}`

/**
 * The kind of a requirement. `ready`: the required release must be healthy first. `applied`: its objects must
 * exist first.
 */
export type EdgeKind = 'ready' | 'applied'

/**
 * The part of a release that needs another release: a `hook`, for which helm itself waits; a `job`; a
 * `workload`; or a `cron` job, which runs later, if at all.
 */
export type Waiter = 'hook' | 'job' | 'workload' | 'cron'

/** The source of a requirement. */
export interface Evidence {
  /**
   * The kind of the source: an `annotation` of a chart or a fact in its values; a line of the `environment`;
   * or `inferred` from what the chart renders.
   */
  readonly source: 'annotation' | 'environment' | 'inferred'
  readonly file: string
  readonly line?: number
  /** The part of the release that waits; only set if the requirement is inferred. */
  readonly waiter?: Waiter
  /** The source text for messages, e.g. `kk.openstack.org/requires: "mariadb"`. */
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

/**
 * Returns the id of the tests of a release that use the whole cloud as a user does. A colon cannot be part of
 * a name of Kubernetes, so no release has this id.
 */
export function userTestId(release: ReleaseId): ReleaseId {
  return `${release}:user`
}

/** Returns true if a release matches a name on the command line: `namespace/name`, or `name` alone. */
export function isNamed(release: ReleaseId, name: string): boolean {
  return release === name || releaseName(release) === name
}

/**
 * The part with everything that belongs to no component and that all need: configuration, jobs, Secrets,
 * accounts.
 */
export const COMMON = 'common'
/** The part with the jobs for which no component waits; these jobs wait for components. */
export const ROLLOUT = 'rollout'
