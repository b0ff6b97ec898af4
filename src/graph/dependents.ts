import type {ReleaseId} from '../release.ts'
import {type Graph, reverse} from './graph.ts'
import {requirements} from './requirements.ts'

/**
 * Returns all releases of the graph that require one of these releases, directly or not, in the graph's
 * order.
 */
export function dependents(graph: Graph, releases: Iterable<ReleaseId>): readonly ReleaseId[] {
  return requirements(reverse(graph), releases)
}
