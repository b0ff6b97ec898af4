import {groups} from '../cycles/groups.ts'
import type {Edge, Graph} from '../graph.ts'

/**
 * Edges inside groups by which a hook waits. Helm waits for the hook: it ends only because the members of a group start
 * together, and helm installs them side by side.
 */
export function waitingHooks(graph: Graph): readonly Edge[] {
  const groupOf = groups(graph)
  return graph.releases
    .flatMap((release) => graph.requirements.get(release)!)
    .filter(({from, to}) => from !== to && groupOf.get(from) === groupOf.get(to))
    .filter(({evidence}) => evidence.some(({waiter, source}) => source === 'inferred' && waiter === 'hook'))
}
