import type {ReleaseId} from '../release.ts'
import {type Condensation, condense} from './condense.ts'
import type {Graph} from './graph.ts'
import {partLevels} from './levels.ts'

/**
 * Returns every release after its requirements, with the members of a group next to each other. A release is
 * placed at the position of the first release in the file that needs it, or its own; ties are broken by
 * level, then by the order in the file, then by name. So a file whose order respects every edge keeps its
 * order, and the order in which requirements are listed has no influence.
 */
export function order(graph: Graph): readonly ReleaseId[] {
  const rank = new Map(graph.releases.map((release, position) => [release, position]))
  const condensation = condense(graph)
  const own = condensation.parts.map((members) => rank.get(members[0]!)!)
  const due = dueRanks(condensation, own)
  const level = partLevels(condensation)

  return condensation.parts
    .map((members, part) => ({members, part}))
    .sort(({part: a}, {part: b}) => due[a]! - due[b]! || level[a]! - level[b]! || own[a]! - own[b]!)
    .flatMap(({members}) => members)
}

/** Returns for each part the lowest rank among itself and all parts that depend on it. */
function dueRanks({parts, requirements}: Condensation, own: readonly number[]): readonly number[] {
  const due = [...own]
  for (let part = parts.length - 1; part >= 0; part--) {
    for (const requirement of requirements[part]!) due[requirement] = Math.min(due[requirement]!, due[part]!)
  }
  return due
}
