import type {Edge, Graph} from '../../graph/graph.ts'
import {reverse} from '../../graph/reverse.ts'
import type {ReleaseId} from '../../release.ts'

/** Who waits for whom: what returns waits until its dependents have returned, what is checked for all that it uses. */
export function orderBack(
  uses: Graph,
  returning: ReadonlySet<ReleaseId>,
  checked: ReadonlySet<ReleaseId>,
): Graph {
  const backwards = reverse(uses)
  const releases = uses.releases.filter((release) => returning.has(release) || checked.has(release))
  const edges = (release: ReleaseId) =>
    returning.has(release)
      ? reached(backwards, release, returning)
      : reached(uses, release, new Set([...returning, ...checked]))
  return {releases, requirements: new Map(releases.map((release) => [release, edges(release)]))}
}

/** Edges to the first of these releases on every path. A detour through others counts as `ready`. */
function reached(graph: Graph, from: ReleaseId, ends: ReadonlySet<ReleaseId>): readonly Edge[] {
  const found = new Map<ReleaseId, Edge>()
  const seen = new Set<ReleaseId>([from])
  const open = [...graph.requirements.get(from)!]
  for (let edge = open.shift(); edge; edge = open.shift()) {
    const isDirect = edge.from === from
    if (ends.has(edge.to) && edge.to !== from) {
      const kind = isDirect ? edge.kind : 'ready'
      if (found.get(edge.to)?.kind !== 'ready') found.set(edge.to, {...edge, from, kind})
      continue
    }
    if (seen.has(edge.to)) continue
    seen.add(edge.to)
    open.push(...graph.requirements.get(edge.to)!)
  }
  return [...found.values()]
}
