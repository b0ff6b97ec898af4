import {dependents} from '../../graph/dependents.ts'
import type {Edge, Graph} from '../../graph/graph.ts'
import {order} from '../../graph/order.ts'
import type {ReleaseId} from '../../release.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import {usesOf} from '../uses/uses.ts'

/** An installed release that requires a changed one, directly or not. */
export interface Affected {
  readonly release: ReleaseId
  /** The requirements that change or are affected themselves, and precede it. */
  readonly requires: readonly Pick<Edge, 'to' | 'kind'>[]
}

/** The requirements that the environment states, and the revisions on the cluster with theirs. */
export interface Users {
  readonly graph: Graph
  /** The revisions on the cluster; those of one release ascend. */
  readonly revisions: readonly ObservedRecord[]
}

/**
 * Returns the installed releases, of any environment, that require one of the changed ones, each after its
 * requirements. A release that is removed or being removed affects nothing.
 */
export function affected(changed: readonly ReleaseId[], {graph, revisions}: Users): readonly Affected[] {
  const uses = usesOf({revisions: staying(revisions), wanted: graph})
  const isInstalled = (release: ReleaseId) => {
    const status = uses.observed.get(release)?.record.status
    return status !== undefined && status !== 'uninstalled'
  }
  const affectedReleases = new Set(dependents(uses.graph, changed).filter(isInstalled))
  const rank = new Map(order(uses.graph).map((release, index) => [release, index]))
  const concerned = new Set([...changed, ...affectedReleases])
  return [...rank.keys()]
    .filter((release) => affectedReleases.has(release))
    .map((release) => ({
      release,
      // Members of a group require each other, and records may be older than the file, so only preceding
      // requirements count.
      requires: uses.graph.requirements
        .get(release)!
        .filter(({to}) => concerned.has(to) && rank.get(to)! < rank.get(release)!),
    }))
}

/** Returns the revisions without those of releases that are being removed: nothing waits for their health. */
function staying(revisions: readonly ObservedRecord[]): readonly ObservedRecord[] {
  const last = new Map(revisions.map(({release, status}) => [release, status]))
  return revisions.filter(({release}) => last.get(release) !== 'uninstalling')
}
