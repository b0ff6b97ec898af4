import {KkError} from '../base/errors.ts'
import {type Graph, withoutSoft} from '../graph/graph.ts'
import {order} from '../graph/order.ts'
import {requirements} from '../graph/requirements.ts'
import {type ReleaseId, releaseName} from '../release.ts'

/** The scope that the command line selects, all releases without names; `install` allows new releases. */
export interface PlanScope {
  readonly names: readonly string[]
  readonly install: boolean
  /** Set if unchanged releases are also upgraded if they drifted on the cluster. */
  readonly correctDrift?: {
    /** Whether fields are taken from their present managers. */
    readonly forceConflicts: boolean
  }
}

/**
 * The mode of a plan. `named`: only the named releases change, after the gates of their requirements;
 * `install` allows new ones. `installed`: all releases on the cluster, and no new ones.
 */
export type PlanMode =
  | {readonly kind: 'all'}
  | {readonly kind: 'installed'}
  | {readonly kind: 'named'; readonly releases: readonly ReleaseId[]; readonly install: boolean}

/** Returns a plan's releases in order, and whether it may change them. Throws `KK_UNKNOWN_RELEASE`. */
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
