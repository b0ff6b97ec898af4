import type {ReleaseId} from '../release.ts'
import {condense} from './condense.ts'
import type {Graph} from './graph.ts'

/**
 * Returns for each release the longest chain of requirements that starts at it, its own work included, in seconds of
 * expected work. The members of a group work at the same time: the group counts as much as its longest member.
 */
export function longestPath(
  graph: Graph,
  seconds: (release: ReleaseId) => number,
): ReadonlyMap<ReleaseId, number> {
  const {parts, requirements} = condense(graph)
  const length: number[] = []
  const result = new Map<ReleaseId, number>()
  for (const [part, members] of parts.entries()) {
    const before = requirements[part]!.reduce((longest, required) => Math.max(longest, length[required]!), 0)
    const own = members.reduce((longest, member) => Math.max(longest, seconds(member)), 0)
    length.push(before + own)
    for (const member of members) result.set(member, before + own)
  }
  return result
}
