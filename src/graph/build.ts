import {KkError} from '../base/errors.ts'
import {type EdgeKind, type Evidence, type ReleaseId, releaseName} from '../release.ts'
import type {Edge, Graph} from './graph.ts'
import {groups} from './groups.ts'

/** A requirement on another release, with its source. */
export interface Requirement {
  readonly release: ReleaseId
  readonly kind: EdgeKind
  readonly evidence: Evidence
}

export interface BuildOptions {
  /** The releases that the file names, in its order. */
  readonly wanted: readonly ReleaseId[]
  /** Returns the requirements of a release; undefined if no source of charts has its chart. */
  readonly requirementsOf: (release: ReleaseId) => readonly Requirement[] | undefined
  /** Returns an existing name similar to an unknown one. */
  readonly suggest: (name: string) => string | undefined
  /** Changes the graph before the check for cycles. */
  readonly refine?: (graph: Graph) => Graph
}

/**
 * Returns the graph of the wanted releases and all their requirements. Several requirements of one edge are
 * merged; the edge is `ready` if one of them is. Throws `KK_UNKNOWN_REQUIREMENT` with a suggestion,
 * `KK_CHART_NOT_FOUND` for a wanted release without a chart, and `KK_CYCLE`.
 */
export function build({wanted, requirementsOf, suggest, refine = (graph) => graph}: BuildOptions): Graph {
  const edgesByRelease = new Map<ReleaseId, readonly Edge[]>()
  const queue: {readonly release: ReleaseId; readonly because?: Edge}[] = wanted.map((release) => ({release}))
  for (const {release, because} of queue) {
    if (edgesByRelease.has(release)) continue
    const requirements = requirementsOf(release)
    if (!requirements) throw unknown(release, because, suggest)
    const edges = mergeEdges(release, requirements)
    edgesByRelease.set(release, edges)
    for (const edge of edges) queue.push({release: edge.to, because: edge})
  }

  const releases = [...new Set([...wanted, ...[...edgesByRelease.keys()].sort(byName)])]
  const rank = new Map(releases.map((release, position) => [release, position]))
  const inOrder = (edges: readonly Edge[]) => edges.toSorted((a, b) => rank.get(a.to)! - rank.get(b.to)!)
  const graph = refine({
    releases,
    requirements: new Map(releases.map((release) => [release, inOrder(edgesByRelease.get(release)!)])),
  })
  groups(graph)
  return graph
}

function mergeEdges(from: ReleaseId, requirements: readonly Requirement[]): readonly Edge[] {
  const edges = new Map<ReleaseId, Edge>()
  for (const {release: to, kind, evidence} of requirements) {
    const other = edges.get(to)
    edges.set(to, {
      from,
      to,
      kind: kind === 'ready' || other?.kind === 'ready' ? 'ready' : 'applied',
      evidence: [...(other?.evidence ?? []), evidence],
    })
  }
  return [...edges.values()]
}

function byName(a: ReleaseId, b: ReleaseId): number {
  const [first, second] = [releaseName(a), releaseName(b)]
  if (first !== second) return first < second ? -1 : 1
  return a < b ? -1 : 1
}

function unknown(release: ReleaseId, because: Edge | undefined, suggest: BuildOptions['suggest']): KkError {
  const name = releaseName(release)
  const suggestion = suggest(name)
  const ask = suggestion === undefined ? '' : `did you mean "${suggestion}"? `
  if (!because) {
    return new KkError('KK_CHART_NOT_FOUND', `no source of charts has a chart for the release ${name}`, {
      hint: `${ask}otherwise name its chart in kk.releases.${name}.chart, or its source in kk.charts`,
    })
  }
  const {file, line, text} = because.evidence[0]!
  const place = line === undefined ? file : `${file}:${line}`
  return new KkError(
    'KK_UNKNOWN_REQUIREMENT',
    `${releaseName(because.from)} requires ${name}, but no source of charts has it (${place}: ${text})`,
    {hint: `${ask}otherwise add its source to kk.charts, or name its chart in kk.releases.${name}.chart`},
  )
}
