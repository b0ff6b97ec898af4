import {dependents} from '../../graph/dependents.ts'
import {type Edge, type Graph, withoutSoft} from '../../graph/graph.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {usesLabel} from '../labels.ts'
import type {ObservedRecord} from '../pending/evidence.ts'
import {type ObservedRelease, observeReleases, type RecordFacts} from './observed.ts'

/** A record that cannot be read: it may belong to a user of any release. */
export interface UnknownUser {
  /** The id of the release, or `namespace/name` of the Secret. */
  readonly name: string
  readonly reason: string
}

/** The requirements between the releases of one cluster. */
export interface Uses {
  /**
   * The wanted releases, then those of the cluster by id. An edge also leads from a release in a namespace to
   * the release with which that namespace is deleted.
   */
  readonly graph: Graph
  readonly observed: ReadonlyMap<ReleaseId, ObservedRelease>
  readonly unknown: readonly UnknownUser[]
}

export interface UsesInputs {
  /** The revisions on the cluster; those of one release ascend. */
  readonly revisions: readonly ObservedRecord[]
  /** Returns the facts of a living revision's payload; undefined if it was not read. */
  readonly factsOf?: (record: ObservedRecord) => RecordFacts | undefined
  /**
   * The graph of the releases that an environment wants, installed or not. Edges that only order are omitted.
   */
  readonly wanted?: Graph
  /** The revisions that count as live, because releases will return to them. */
  readonly returning?: ReadonlySet<ObservedRecord>
  /** `namespace/name` of helm's Secrets that do not name their release. */
  readonly strays?: readonly string[]
  /** The records that the user excuses, by the name of the release or of the Secret. */
  readonly ignored?: ReadonlySet<string>
}

const NOTHING: Graph = {releases: [], requirements: new Map()}

/**
 * Returns which release uses which, from the graph of an environment, the labels of all live revisions and
 * their payloads. Only unreadable records and the requirements that foreign charts declare can be ignored.
 */
export function usesOf({
  revisions,
  factsOf = () => undefined,
  wanted = NOTHING,
  returning = new Set(),
  strays = [],
  ignored = new Set(),
}: UsesInputs): Uses {
  const observed = new Map(observeReleases(revisions, factsOf, returning).map((each) => [each.release, each]))
  const releases = [...new Set([...wanted.releases, ...observed.keys()])]
  const byLabel = new Map(releases.map((release) => [usesLabel(release), release]))
  const wantedEdges = withoutSoft(wanted).requirements
  const isExcused = ({release, record, labels, unreadable}: ObservedRelease) =>
    (unreadable !== undefined || labels === undefined) &&
    (ignored.has(release) || ignored.has(`${releaseNamespace(release)}/${record.secret.name}`))

  const recordedEdges = (each: ObservedRelease): readonly Pick<Edge, 'to' | 'kind'>[] => {
    if (isExcused(each)) return []
    const declared = each.declared.flatMap((text) => resolveRelease(text, each.release, releases))
    const homes = [...observed.values()]
      .filter(({namespaces}) => namespaces.includes(releaseNamespace(each.release)))
      .map(({release}) => release)
    return [
      ...[...each.uses].flatMap(([label, kind]) => {
        const to = byLabel.get(label)
        return to === undefined ? [] : [{to, kind}]
      }),
      ...[...declared, ...homes].map((to) => ({to, kind: 'ready'}) as const),
    ]
  }
  const listEdges = (from: ReleaseId): readonly Edge[] => {
    const observedRelease = observed.get(from)
    const edges = new Map<ReleaseId, Edge>((wantedEdges.get(from) ?? []).map((edge) => [edge.to, edge]))
    for (const {to, kind} of observedRelease ? recordedEdges(observedRelease) : [])
      if (to !== from && !edges.has(to)) edges.set(to, {from, to, kind, evidence: []})
    return [...edges.values()]
  }

  const unreadable = [...observed.values()]
    .filter((each) => each.unreadable !== undefined && !isExcused(each))
    .map(({release, unreadable}) => ({name: release, reason: unreadable!}))
  const stray = strays
    .filter((name) => !ignored.has(name))
    .map((name) => ({name, reason: 'it is among the records of helm, but names no release'}))
  return {
    graph: {releases, requirements: new Map(releases.map((release) => [release, listEdges(release)]))},
    observed,
    unknown: [...unreadable, ...stray],
  }
}

/** Returns all releases that use one of these, directly or not, without these themselves. */
export function usersOf({graph}: Pick<Uses, 'graph'>, releases: Iterable<ReleaseId>): readonly ReleaseId[] {
  const used = new Set(releases)
  return dependents(graph, used).filter((release) => !used.has(release))
}

/**
 * Returns the releases that a chart names by a string: the one in its namespace, else all others of that
 * name.
 */
function resolveRelease(text: string, from: ReleaseId, all: readonly ReleaseId[]): readonly ReleaseId[] {
  if (text.includes('/')) return all.filter((release) => release === text)
  const matches = all.filter((release) => releaseName(release) === text)
  const neighbour = matches.filter((release) => releaseNamespace(release) === releaseNamespace(from))
  return neighbour.length > 0 ? neighbour : matches
}
