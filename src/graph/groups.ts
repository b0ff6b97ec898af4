import {KkError} from '../base/errors.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {components} from './components.ts'
import type {Edge, Graph} from './graph.ts'
import {why} from './why.ts'

/**
 * Returns the group of each release: all releases that need each other, including itself, in the graph's
 * order; only itself if it is in no group. Throws `KK_CYCLE` if an edge inside a group is `ready`, because
 * both ends would wait for each other.
 */
export function groups(graph: Graph): ReadonlyMap<ReleaseId, readonly ReleaseId[]> {
  const result = new Map<ReleaseId, readonly ReleaseId[]>()
  for (const members of components(graph)) {
    for (const member of members) result.set(member, members)
  }
  for (const release of graph.releases) {
    for (const edge of graph.requirements.get(release) ?? []) {
      const inside = result.get(edge.from) === result.get(edge.to)
      if (inside && edge.kind === 'ready') throw cycleError(cycle(graph, edge))
    }
  }
  return result
}

/** Returns the shortest cycle through an edge whose ends need each other. The cycle starts with that edge. */
export function cycle(graph: Graph, edge: Edge): readonly Edge[] {
  if (edge.from === edge.to) return [edge]
  return [edge, ...(why(graph, edge.to, edge.from) ?? [])]
}

/** Returns `KK_CYCLE` with the whole path and the evidence of each edge. */
export function cycleError(path: readonly Edge[]): KkError {
  const name = naming(path)
  const chain = [...path.map((edge) => edge.from), path[0]!.from].map(name).join(' → ')
  const statements = path.map(
    (edge) => `  ${name(edge.from)} requires ${name(edge.to)} (${edge.kind}): ${sources(edge)}`,
  )
  return new KkError('KK_CYCLE', [`releases need each other: ${chain}`, ...statements].join('\n'), {
    hint: hint(path[0]!),
  })
}

function sources(edge: Edge): string {
  return edge.evidence
    .map(({file, line, text}) => `${line === undefined ? file : `${file}:${line}`}: ${text}`)
    .join(', and ')
}

/** Returns how releases are displayed: without the namespace if all are in the same one, else by id. */
function naming(path: readonly Edge[]): (release: ReleaseId) => string {
  const namespaces = new Set(path.map((edge) => releaseNamespace(edge.from)))
  return (release) => (namespaces.size > 1 ? release : releaseName(release))
}

function hint(edge: Edge): string {
  const name = releaseName(edge.from)
  const required = releaseName(edge.to)
  if (edge.from === edge.to) return `remove the requirement: kk.releases.${name}: {without: [${required}]}`
  return (
    'releases that need each other may only use edges of kind applied, for example ' +
    `kk.releases.${name}: {without: [${required}], requires: [{release: ${required}, kind: applied}]}`
  )
}
