import type {ReleaseId} from '../release.ts'
import {type Condensation, condense} from './condense.ts'
import type {Graph} from './graph.ts'

/**
 * Returns the releases by level. Level 0 requires nothing; level n requires a release of level n-1 and
 * nothing above it. The members of a group share a level. Within a level, releases are in the graph's order.
 */
export function levels(graph: Graph): readonly (readonly ReleaseId[])[] {
  const condensation = condense(graph)
  const levelByRelease = new Map<ReleaseId, number>()
  const level = partLevels(condensation)
  for (const [part, members] of condensation.parts.entries()) {
    for (const member of members) levelByRelease.set(member, level[part]!)
  }
  const result: ReleaseId[][] = []
  for (const release of graph.releases) {
    const at = levelByRelease.get(release)!
    result[at] ??= []
    result[at].push(release)
  }
  return result
}

/** Returns the level of each part. */
export function partLevels({requirements}: Condensation): readonly number[] {
  const level: number[] = []
  for (const required of requirements) {
    level.push(required.reduce((highest, part) => Math.max(highest, level[part]! + 1), 0))
  }
  return level
}
