import type {Requirement} from '../../graph/build.ts'
import {components} from '../../graph/components.ts'
import {type Edge, type Graph, isInferred} from '../../graph/graph.ts'
import type {AmbiguousWant} from '../../graph/inference/infer.ts'
import type {EdgeKind, ReleaseId} from '../../release.ts'

/** The unambiguous requirements of each release, stated and inferred. */
export type Requirements = ReadonlyMap<ReleaseId, readonly Requirement[]>

/** A requirement that resolves an ambiguous want once it is stated. */
export interface Choice {
  readonly to: ReleaseId
  readonly kind: EdgeKind
}

/**
 * Returns, for each release, one provider for each of its ambiguous wants: the first one that causes no cycle
 * with a stated `ready` requirement. If the choice makes releases require each other, it is `applied`;
 * otherwise it has the kind of the wants.
 */
export function choices(
  ambiguous: readonly AmbiguousWant[],
  requirements: Requirements,
): ReadonlyMap<ReleaseId, readonly Choice[]> {
  const chosen: Edge[] = []
  for (const {release, candidates} of ambiguous) {
    const edges = candidates.map(({release: to}) => makeEdge(release, {release: to, kind: 'applied'}))
    if (edges.some(({to}) => chosen.some((each) => each.from === release && each.to === to))) continue
    const fitting = edges.find((each) => !isStuck(makeGraph(requirements, [...chosen, each])))
    chosen.push(fitting ?? edges[0]!)
  }
  const componentByRelease = componentsByRelease(makeGraph(requirements, chosen))
  const resolved = chosen.map(({from, to}) => {
    const isFree = componentByRelease.get(from) !== componentByRelease.get(to)
    const kind: EdgeKind = isFree && isReady({from, to}, ambiguous, requirements) ? 'ready' : 'applied'
    return {from, to, kind}
  })
  return Map.groupBy(resolved, ({from}) => from)
}

/** Returns true if any want of `from` for `to` is `ready`. */
function isReady(
  {from, to}: Pick<Edge, 'from' | 'to'>,
  ambiguous: readonly AmbiguousWant[],
  requirements: Requirements,
): boolean {
  const wants = ambiguous.filter(({release}) => release === from)
  return (
    wants.some(
      ({want, candidates}) => want.kind === 'ready' && candidates.some(({release}) => release === to),
    ) || (requirements.get(from) ?? []).some(({release, kind}) => release === to && kind === 'ready')
  )
}

function makeGraph(requirements: Requirements, chosen: readonly Edge[]): Graph {
  const unambiguous = [...requirements].flatMap(([from, all]) => all.map((each) => makeEdge(from, each)))
  const edges = Map.groupBy([...unambiguous, ...chosen], ({from}) => from)
  const releases = [...new Set([...requirements.keys(), ...[...edges.values()].flat().map(({to}) => to)])]
  return {releases, requirements: new Map(releases.map((release) => [release, edges.get(release) ?? []]))}
}

function makeEdge(
  from: ReleaseId,
  {release, kind, evidence}: Omit<Requirement, 'evidence'> & Partial<Requirement>,
): Edge {
  return {from, to: release, kind, evidence: evidence ? [evidence] : []}
}

/**
 * Returns true if a group of mutually dependent releases contains a stated `ready` requirement (`KK_CYCLE`).
 */
function isStuck(graph: Graph): boolean {
  const componentByRelease = componentsByRelease(graph)
  const edges = [...graph.requirements.values()].flat()
  return edges.some(
    (edge) =>
      edge.kind === 'ready' &&
      !isInferred(edge) &&
      componentByRelease.get(edge.from) === componentByRelease.get(edge.to),
  )
}

/** Returns the strongly connected component of each release. */
function componentsByRelease(graph: Graph): ReadonlyMap<ReleaseId, readonly ReleaseId[]> {
  return new Map(components(graph).flatMap((part) => part.map((member) => [member, part] as const)))
}
