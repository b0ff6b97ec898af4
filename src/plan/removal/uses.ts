import {dependents} from '../../graph/dependents.ts'
import type {Edge, Graph} from '../../graph/graph.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {usesLabel} from '../labels.ts'
import {meant} from './declared.ts'
import type {ObservedRelease} from './observed.ts'

/** A record that cannot be read: it may be of a user of anything. */
export interface UnknownUser {
  /** `namespace/name` of the release, or of the Secret. */
  readonly name: string
  readonly reason: string
}

/** Who uses whom on one cluster. */
export interface Uses {
  /** In the order of their ids. An edge also leads from what lives in a namespace to the release with which that goes. */
  readonly graph: Graph
  readonly observed: ReadonlyMap<ReleaseId, ObservedRelease>
  readonly unknown: readonly UnknownUser[]
}

export interface UsesInputs {
  readonly releases: readonly ObservedRelease[]
  /** `namespace/name` of Secrets of helm's that tell of no release. */
  readonly strays: readonly string[]
  /** Records that the user excuses by name: of releases, or of Secrets. */
  readonly excused: ReadonlySet<string>
}

/** Draws the graph of the cluster. Excused are only records that cannot be read, and what foreign charts declare. */
export function usesOf({releases, strays, excused}: UsesInputs): Uses {
  const observed = new Map(releases.map((each) => [each.release, each]))
  const byLabel = new Map(releases.map(({release}) => [usesLabel(release), release]))
  const isExcused = ({release, record, labels, unreadable}: ObservedRelease) =>
    (unreadable !== undefined || labels === undefined) &&
    (excused.has(release) || excused.has(`${releaseNamespace(release)}/${record.secret.name}`))

  const requirementsOf = (each: ObservedRelease): readonly Edge[] => {
    if (isExcused(each)) return []
    const used = [...each.uses].flatMap((label) => byLabel.get(label) ?? [])
    const declared = each.declared.flatMap((text) => meant(text, each.release, [...observed.keys()]))
    const homes = releases
      .filter(({namespaces}) => namespaces.includes(releaseNamespace(each.release)))
      .map(({release}) => release)
    const targets = new Set([...used, ...declared, ...homes])
    targets.delete(each.release)
    return [...targets].map((to) => ({from: each.release, to, kind: 'ready', evidence: []}))
  }

  const unreadable = releases
    .filter((each) => each.unreadable !== undefined && !isExcused(each))
    .map(({release, unreadable}) => ({name: release, reason: unreadable!}))
  const stray = strays
    .filter((name) => !excused.has(name))
    .map((name) => ({name, reason: 'it is among the records of helm, but tells of no release'}))
  return {
    graph: {
      releases: [...observed.keys()],
      requirements: new Map(releases.map((each) => [each.release, requirementsOf(each)])),
    },
    observed,
    unknown: [...unreadable, ...stray],
  }
}

/** All that use one of these, directly or not, but these themselves. */
export function usersOf({graph}: Uses, releases: ReadonlySet<ReleaseId>): readonly ReleaseId[] {
  return dependents(graph, releases).filter((release) => !releases.has(release))
}
