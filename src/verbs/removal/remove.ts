import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import type {Environment} from '../../environment/environment.ts'
import {makeRemovalPlan} from '../../plan/removal/make-removal-plan.ts'
import {sectionIn} from '../../plan/shape.ts'
import type {Uses} from '../../plan/uses/uses.ts'
import {releaseIdIn} from '../../prepare/gathering/load-charts.ts'
import {isNamed, type ReleaseId, releaseName} from '../../release.ts'
import {planCluster} from '../cluster-of.ts'
import {type LeftoverClaim, leftoverClaims} from './leftover-claims.ts'
import {isProtectedIn, type PlannedRemoval, plannedRemoval, type RemovalContext} from './planned.ts'

export interface RemoveScope {
  readonly names: readonly string[]
  readonly withDependents: boolean
  /** Whether data of the releases in other services is removed, too; undefined to not report it. */
  readonly isPurge?: boolean
}

/**
 * Plans the removal of releases by name. A release of the file that is not on the cluster is reported as
 * absent. Throws `KK_HAS_DEPENDENTS`, `KK_OWNER`, `KK_FOREIGN`, `KK_PENDING`, `KK_RECORD`, and
 * `KK_NOT_INSTALLED` for a name without a release.
 */
export async function planRemove(
  context: RemovalContext,
  {names, withDependents, isPurge}: RemoveScope,
): Promise<PlannedRemoval> {
  const {environment, cluster} = context
  const [plansCluster, uses] = await Promise.all([planCluster(cluster), context.readUses()])
  const leftClaims = await leftoverClaims(cluster, environment.name, (release) => !uses.observed.has(release))
  const removed = new Set(leftClaims.map(({release}) => release))
  const matches = names.map((name) => ({name, releases: namedOnCluster(environment, {uses, removed}, name)}))
  const plan = makeRemovalPlan({
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    uses,
    releases: [...new Set(matches.flatMap(({releases}) => releases))],
    withDependents,
    isProtected: isProtectedIn(uses, environment),
  })
  const absent = matches.filter(({releases}) => releases.length === 0).map(({name}) => name)
  const isMeant = (claim: LeftoverClaim) =>
    names.some((name) => isNamed(claim.release, name) || claim.names.includes(name))
  return plannedRemoval(context, plan, {
    ...(isPurge !== undefined && {purge: {uses, isWanted: isPurge}}),
    absent,
    leftovers: leftClaims.filter(isMeant),
  })
}

interface OnCluster {
  readonly uses: Uses
  /** The releases whose removal has left claims. */
  readonly removed: ReadonlySet<ReleaseId>
}

/**
 * Returns the release that a name refers to, or the parts of the section of this name. Returns none if the
 * file has it, or it was removed, but it is not on the cluster.
 */
function namedOnCluster(
  environment: Environment,
  {uses, removed}: OnCluster,
  name: string,
): readonly ReleaseId[] {
  const {observed} = uses
  const id = name.includes('/') ? (name as ReleaseId) : releaseIdIn(environment, name)
  const isInFile = environment.sections.has(name) || environment.releases.has(name)
  const parts = [...observed.keys()].filter((release) => sectionIn(uses, release) === id)
  if (parts.length > 0) return parts
  // Ignore a release of the same name in another namespace: a repeated removal refers to the one that is
  // gone.
  if (observed.has(id) || isInFile) return observed.has(id) ? [id] : []
  const named = [...observed.values()].filter(({release}) => releaseName(release) === name)
  const owned = named.filter(({labels}) => labels?.owner === environment.name)
  const candidates = owned.length > 0 ? owned : named
  if (candidates.length === 1) return [candidates[0]!.release]
  if (candidates.length > 1) {
    throw new KkError(
      'KK_USAGE',
      `${name} is not one release: ${candidates.map(({release}) => release).join(', ')}`,
      {hint: `name it with its namespace, e.g. ${candidates[0]!.release}`},
    )
  }
  if ([...removed].some((release) => isNamed(release, name))) return []
  const own = [...observed.values()].filter(({labels}) => labels?.owner === environment.name)
  const close = suggest(name, [
    ...own.map(({release}) => releaseName(release)),
    ...environment.sections.keys(),
  ])
  throw new KkError('KK_NOT_INSTALLED', `${id} is not installed`, {
    hint:
      close === undefined
        ? 'see what this environment has installed with kk status'
        : `did you mean ${close}?`,
  })
}
