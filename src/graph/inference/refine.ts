import type {ReleaseId} from '../../release.ts'
import {components} from '../components.ts'
import {type Edge, type Graph, isInferred} from '../graph.ts'
import {requirements} from '../requirements.ts'
import type {InferredRequirement} from './infer.ts'

/**
 * Returns the graph with the inferred requirements adapted. An inferred edge between releases that need each
 * other becomes `applied`, so that they start together. Soft requirements order releases that are present,
 * added in a fixed order and only if they create no cycle.
 */
export function refine(graph: Graph, inferred: readonly InferredRequirement[]): Graph {
  return withSoft(withGroups(graph), inferred)
}

function withGroups(graph: Graph): Graph {
  const partByRelease = new Map(
    components(graph).flatMap((part) => part.map((member) => [member, part] as const)),
  )
  const isInside = ({from, to}: Edge) => from !== to && partByRelease.get(from) === partByRelease.get(to)
  return mapEdges(graph, (edge) =>
    edge.kind === 'ready' && isInside(edge) && isInferred(edge) ? {...edge, kind: 'applied'} : edge,
  )
}

function withSoft(graph: Graph, inferred: readonly InferredRequirement[]): Graph {
  const present = new Set(graph.releases)
  const soft = Map.groupBy(
    inferred.filter(({from, to, kind}) => kind === 'soft' && present.has(from) && present.has(to)),
    ({from, to}) => `${from} ${to}`,
  )
  let refined = graph
  for (const key of [...soft.keys()].sort()) {
    const [{from, to}] = soft.get(key)! as [InferredRequirement]
    const isPresent = refined.requirements.get(from)!.some((edge) => edge.to === to)
    if (isPresent || needs(refined, to, from)) continue
    const evidence = soft.get(key)!.map((each) => each.evidence)
    refined = withEdge(refined, {from, to, kind: 'applied', evidence, soft: true})
  }
  return refined
}

function needs(graph: Graph, from: ReleaseId, to: ReleaseId): boolean {
  return from === to || requirements(graph, [from]).includes(to)
}

function mapEdges({releases, requirements: edges}: Graph, change: (edge: Edge) => Edge): Graph {
  return {
    releases,
    requirements: new Map(releases.map((release) => [release, edges.get(release)!.map(change)])),
  }
}

function withEdge({releases, requirements: edges}: Graph, edge: Edge): Graph {
  const rank = new Map(releases.map((release, position) => [release, position]))
  const own = [...edges.get(edge.from)!, edge].toSorted((a, b) => rank.get(a.to)! - rank.get(b.to)!)
  return {releases, requirements: new Map([...edges, [edge.from, own]])}
}
