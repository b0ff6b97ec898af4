import type {ReleaseRecord} from '../../cluster/cluster.ts'
import {dependents} from '../../graph/dependents.ts'
import type {Edge, Graph} from '../../graph/graph.ts'
import {order} from '../../graph/order.ts'
import {withoutSoft} from '../../graph/without-soft.ts'
import type {ReleaseId} from '../../release.ts'
import {clusterGraph} from '../cluster-graph.ts'

/** An installed release that requires something that changes, directly or not. */
export interface Affected {
  readonly release: ReleaseId
  /** What it requires, of that which changes or is affected itself, and comes before it. */
  readonly requires: readonly Pick<Edge, 'to' | 'kind'>[]
}

/** Who requires whom: as the environment says, and as the labels of the records on the cluster say. */
export interface Users {
  readonly graph: Graph
  readonly records: readonly ReleaseRecord[]
}

/**
 * The installed releases that a change of these others concerns, in any environment, each after what it requires. One
 * that is gone or on its way concerns nothing.
 */
export function affected(changed: readonly ReleaseId[], {graph, records}: Users): readonly Affected[] {
  const present = records.filter(({status}) => status !== 'uninstalled' && status !== 'uninstalling')
  const installed = new Set(present.map(({release}) => release))
  const all = clusterGraph(withoutSoft(graph), present)
  const found = new Set(dependents(all, changed).filter((release) => installed.has(release)))
  const place = new Map(order(all).map((release, index) => [release, index]))
  const concerned = new Set([...changed, ...found])
  return [...place.keys()]
    .filter((release) => found.has(release))
    .map((release) => ({
      release,
      // Members of a group require each other, and records may be older than the file: only what comes before counts.
      requires: all.requirements
        .get(release)!
        .filter(({to}) => concerned.has(to) && place.get(to)! < place.get(release)!),
    }))
}
