import {KkError} from '../errors.ts'
import type {Graph} from '../graph/graph.ts'
import {order} from '../graph/order.ts'
import {requirements} from '../graph/requirements.ts'
import {withoutSoft} from '../graph/without-soft.ts'
import {type ReleaseId, releaseName} from '../release.ts'

/** What the command line asks for; without names, all; `install`: whether a release may be new. */
export interface PlanScope {
  readonly names: readonly string[]
  readonly install: boolean
  /** Upgrade also what is wanted as it is, but drifted on the cluster. */
  readonly correctDrift?: {
    /** Take fields from those who manage them now. */
    readonly forceConflicts: boolean
  }
}

/**
 * `named`: only these are changed, after the gates of what they require; `install` says whether they may be new.
 * `installed`: all that are on the cluster, and nothing new.
 */
export type PlanMode =
  | {readonly kind: 'all'}
  | {readonly kind: 'installed'}
  | {readonly kind: 'named'; readonly releases: readonly ReleaseId[]; readonly install: boolean}

/**
 * The releases that a plan is about, in its order, and whether it may change them; `installed` are those on the cluster.
 * Throws `KK_UNKNOWN_RELEASE`.
 */
export function scope(
  graph: Graph,
  mode: PlanMode,
  installed: ReadonlySet<ReleaseId> = new Set(),
): ReadonlyMap<ReleaseId, 'change' | 'use'> {
  if (mode.kind === 'all') return new Map(order(graph).map((release) => [release, 'change']))
  const releases = mode.kind === 'named' ? mode.releases : graph.releases.filter((one) => installed.has(one))
  for (const release of releases) {
    if (!graph.requirements.has(release)) throw unknownRelease(release, graph)
  }
  const named = new Set(releases)
  const included = new Set([...named, ...requirements(withoutSoft(graph), named)])
  const ordered = order(graph).filter((release) => included.has(release))
  return new Map(ordered.map((release) => [release, named.has(release) ? 'change' : 'use']))
}

function unknownRelease(release: ReleaseId, graph: Graph): KkError {
  return new KkError('KK_UNKNOWN_RELEASE', `the environment has no release ${release}`, {
    hint: `it has: ${graph.releases.map(releaseName).join(', ')}`,
  })
}
