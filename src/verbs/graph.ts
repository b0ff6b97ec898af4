import type {Graph} from '../graph/graph.ts'
import {requirements} from '../graph/requirements.ts'
import {why} from '../graph/why.ts'
import {usersOf, usesOf} from '../plan/uses/uses.ts'
import {namedRelease, namedReleases, type Prepared} from '../prepare/prepare.ts'
import type {ReleaseId} from '../release.ts'

/** Returns the graph of an environment, or the part that the named releases require. */
export function viewOf(prepared: Prepared, names: readonly string[]) {
  const named = namedReleases(prepared, names)
  const graph = names.length === 0 ? prepared.graph : part(prepared.graph, named)
  const isProtected = [...prepared.releases]
    .filter(([, {desired}]) => desired.protected)
    .map(([release]) => release)
  return {environment: prepared.environment.name, graph, protected: new Set(isProtected)}
}

/**
 * Returns the dependents of a release in this environment, each with the release that it requires directly on
 * the path.
 */
export function dependentsOf(prepared: Prepared, name: string) {
  const release = namedRelease(prepared, name)
  const uses = usesOf({wanted: prepared.graph, revisions: []})
  const dependents = usersOf(uses, [release]).map((dependent) => {
    const [step] = why(uses.graph, dependent, release)!
    return {release: dependent, through: step!.to === release ? undefined : step!.to}
  })
  return {release, dependents}
}

function part(graph: Graph, named: readonly ReleaseId[]): Graph {
  const partReleases = new Set([...named, ...requirements(graph, named)])
  const releases = graph.releases.filter((release) => partReleases.has(release))
  return {
    releases,
    requirements: new Map(releases.map((release) => [release, graph.requirements.get(release)!])),
  }
}
