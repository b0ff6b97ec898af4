import {dependents} from '../../graph/dependents.ts'
import type {Edge, Graph} from '../../graph/graph.ts'
import {order} from '../../graph/order.ts'
import type {ReleaseId} from '../../release.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import {usesOf} from '../uses/uses.ts'

/** An installed release that requires something that changes, directly or not. */
export interface Affected {
  readonly release: ReleaseId
  /** What it requires, of that which changes or is affected itself, and comes before it. */
  readonly requires: readonly Pick<Edge, 'to' | 'kind'>[]
}

/** Who requires whom: as the environment says, and as the revisions on the cluster say. */
export interface Users {
  readonly graph: Graph
  /** Those of a release ascend. */
  readonly revisions: readonly ObservedRecord[]
}

/**
 * The installed releases that a change of these others concerns, in any environment, each after what it requires. One
 * that is gone or on its way concerns nothing.
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
      // Members of a group require each other, and records may be older than the file: only what comes before counts.
      requires: uses.graph.requirements
        .get(release)!
        .filter(({to}) => concerned.has(to) && place.get(to)! < place.get(release)!),
    }))
}

/** The revisions of all but the releases that are being removed: nobody waits for the health of these. */
function staying(revisions: readonly ObservedRecord[]): readonly ObservedRecord[] {
  const last = new Map(revisions.map(({release, status}) => [release, status]))
  return revisions.filter(({release}) => last.get(release) !== 'uninstalling')
}
