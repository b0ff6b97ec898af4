import {dependents} from '../../graph/dependents.ts'
import type {Edge, Graph} from '../../graph/graph.ts'
import {order} from '../../graph/order.ts'
import type {ReleaseId} from '../../release.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import {usesOf} from '../uses/uses.ts'

/** An installed release that requires something that changes, directly or not. */
export interface Affected {
  readonly release: ReleaseId
  /** The requirements that change or are affected themselves, and come before it. */
  readonly requires: readonly Pick<Edge, 'to' | 'kind'>[]
}

/** The requirements that the environment states, and the revisions on the cluster, which state theirs. */
export interface Users {
  readonly graph: Graph
  /** The revisions on the cluster; those of one release ascend. */
  readonly revisions: readonly ObservedRecord[]
}

/**
 * Returns the installed releases, of any environment, that require one of the changed ones, each after its
 * requirements. A release that is gone or being removed makes nothing affected.
 */
export function affected(changed: readonly ReleaseId[], {graph, revisions}: Users): readonly Affected[] {
  const uses = usesOf({revisions: staying(revisions), wanted: graph})
  const isInstalled = (release: ReleaseId) => {
    const status = uses.observed.get(release)?.record.status
    return status !== undefined && status !== 'uninstalled'
  }
  const found = new Set(dependents(uses.graph, changed).filter(isInstalled))
  const place = new Map(order(uses.graph).map((release, index) => [release, index]))
  const concerned = new Set([...changed, ...found])
  return [...place.keys()]
    .filter((release) => found.has(release))
    .map((release) => ({
      release,
      // Members of a group require each other, and records may be older than the file, so only what comes before
      // counts.
      requires: uses.graph.requirements
        .get(release)!
        .filter(({to}) => concerned.has(to) && place.get(to)! < place.get(release)!),
    }))
}

/** Returns the revisions without those of releases that are being removed: nothing waits for their health. */
function staying(revisions: readonly ObservedRecord[]): readonly ObservedRecord[] {
  const last = new Map(revisions.map(({release, status}) => [release, status]))
  return revisions.filter(({release}) => last.get(release) !== 'uninstalling')
}
