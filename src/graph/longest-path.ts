import type {ReleaseId} from '../release.ts'
import {components} from './components.ts'
import {condense} from './condense.ts'
import type {Graph} from './graph.ts'

/**
 * Returns the length of the longest chain of requirements that starts at each release, including its own
 * work, in seconds of expected work. The members of a group work concurrently: the group takes as long as its
 * longest member.
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
 * Returns the releases of the longest chain of requirements, requirements first, without those that take no
 * time. A group is represented by the member that takes longest. Among equally long chains, the first in the
 * graph's order is chosen.
 */
export function criticalPath(graph: Graph, seconds: (release: ReleaseId) => number): readonly ReleaseId[] {
  const length = longestPath(graph, seconds)
  const groupByRelease = new Map(
    components(graph).flatMap((group) => group.map((member) => [member, group] as const)),
  )
  const longest = (releases: readonly ReleaseId[]) =>
    releases.reduce<ReleaseId | undefined>(
      (best, each) => (best === undefined || length.get(each)! > length.get(best)! ? each : best),
      undefined,
    )
  const path: ReleaseId[] = []
  let at = longest(graph.releases)
  while (at !== undefined) {
    const [here, members] = [length.get(at)!, groupByRelease.get(at)!]
    path.unshift(members.reduce((one, other) => (seconds(other) > seconds(one) ? other : one), at))
    at = longest(
      members
        .flatMap((member) => graph.requirements.get(member)!.map(({to}) => to))
        .filter((to) => !members.includes(to) && length.get(to)! <= here),
    )
  }
  return path.filter((release) => seconds(release) > 0)
}
