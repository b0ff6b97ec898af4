import type {ReleaseId} from '../release.ts'
import {components} from './components.ts'
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

/**
 * Returns the releases of the longest chain of requirements, first what is required; without those that take no time. Of a
 * group it has the member that takes longest. Of chains as long as each other it is the first in the order of the graph.
 */
export function criticalPath(graph: Graph, seconds: (release: ReleaseId) => number): readonly ReleaseId[] {
  const length = longestPath(graph, seconds)
  const groupOf = new Map(
    components(graph).flatMap((group) => group.map((member) => [member, group] as const)),
  )
  const longest = (releases: readonly ReleaseId[]) =>
    releases.reduce<ReleaseId | undefined>(
      (found, each) => (found === undefined || length.get(each)! > length.get(found)! ? each : found),
      undefined,
    )
  const path: ReleaseId[] = []
  let at = longest(graph.releases)
  while (at !== undefined) {
    const [here, members] = [length.get(at)!, groupOf.get(at)!]
    path.unshift(members.reduce((one, other) => (seconds(other) > seconds(one) ? other : one), at))
    at = longest(
      members
        .flatMap((member) => graph.requirements.get(member)!.map(({to}) => to))
        .filter((to) => !members.includes(to) && length.get(to)! <= here),
    )
  }
  return path.filter((release) => seconds(release) > 0)
}
