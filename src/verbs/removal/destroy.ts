import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import {makeDestroyPlan} from '../../plan/removal/make-destroy-plan.ts'
import {sectionIn} from '../../plan/shape.ts'
import type {Uses} from '../../plan/uses/uses.ts'
import {releaseIdIn} from '../../prepare/gathering/load-charts.ts'
import {isNamed, type ReleaseId, releaseName} from '../../release.ts'
import {planCluster} from '../cluster-of.ts'
import {leftoverClaims} from './leftover-claims.ts'
import {isProtectedIn, type PlannedRemoval, plannedRemoval, type RemovalContext} from './planned.ts'

/**
 * Plans the removal of an environment, or of its `unwanted` releases. `confirmed` are the names after
 * `--confirm` except the name of the environment: protected releases are removed only if they are named.
 * Throws `KK_USAGE` for a name that is not a release of the environment, `KK_HAS_DEPENDENTS`, `KK_PENDING`,
 * `KK_RECORD`. `uses` in the result are the uses that the plan is based on.
 */
export async function planDestroy(
  context: RemovalContext,
  confirmed: readonly string[],
  unwanted?: ReadonlySet<ReleaseId>,
): Promise<PlannedRemoval & {readonly uses: Uses}> {
  const {environment, cluster} = context
  const [plansCluster, uses] = await Promise.all([planCluster(cluster), context.readUses()])
  const owned = [...uses.observed.values()]
    .filter(({labels}) => labels?.owner === environment.name)
    .map(({release}) => release)
  const plan = makeDestroyPlan({
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    uses,
    isProtected: isProtectedIn(uses, environment),
    confirmed: new Set(confirmed.flatMap((name) => confirmedReleases(name, {owned, uses, environment}))),
    ...(unwanted && {unwanted}),
  })
  const isIncomplete = [...environment.sections.keys()].some(
    (name) =>
      !owned.some((release) => [release, sectionIn(uses, release)].includes(releaseIdIn(environment, name))),
  )
  const leftovers = await leftoverClaims(cluster, environment.name, (release) => !uses.observed.has(release))
  return {...(await plannedRemoval(context, plan, {isIncomplete, leftovers})), uses}
}

interface OwnedReleases {
  readonly owned: readonly ReleaseId[]
  readonly uses: Uses
  readonly environment: Pick<Environment, 'sections' | 'releases'>
}

/**
 * Returns the owned releases that a confirmed name refers to. Returns none for a release of the file that the
 * cluster no longer has, because a repeated command still names it.
 */
function confirmedReleases(
  name: string,
  {owned, uses, environment: {sections, releases}}: OwnedReleases,
): readonly ReleaseId[] {
  // A release of another environment that loses an object; see `RemovalContext.confirmed`.
  if (!owned.some((release) => isNamed(release, name)) && uses.observed.has(name as ReleaseId)) return []
  const matches = owned.filter(
    (release) => isNamed(release, name) || isNamed(sectionIn(uses, release) ?? release, name),
  )
  const plain = name.slice(name.indexOf('/') + 1)
  if (matches.length > 0 || sections.has(plain) || releases.has(plain)) return matches
  throw new KkError('KK_USAGE', `--confirm ${name}: neither the environment nor one of its releases`, {
    hint:
      owned.length === 0
        ? 'the environment has nothing on this cluster'
        : `it has: ${owned.map(releaseName).join(', ')}`,
  })
}
