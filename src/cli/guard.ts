import {splitArguments} from '../environment/choose.ts'
import {loadEnvironment} from '../environment/load.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {Plan} from '../plan/plan.ts'
import {guardOfferText} from '../report/guard-text.ts'
import {unguarded} from '../verbs/guard.ts'
import type {Console} from './console.ts'
import {type ClusterFlags, clusterFlags, type EnvironmentFlags, environmentFlags} from './flags.ts'
import {type OpenedCluster, openChosenCluster} from './open/cluster.ts'
import {changeFlags} from './run/flags.ts'

/** The flags of the commands that change the guard. */
export const guardFlags = {
  yes: changeFlags.yes,
  'dry-run': changeFlags['dry-run'],
  ...environmentFlags,
  ...clusterFlags,
}

/**
 * Opens the cluster that the flags select, and returns the arguments that are releases. The guard belongs to
 * the whole cluster: an environment file only selects which one. The caller closes the cluster.
 */
export async function openGuarded(
  flags: EnvironmentFlags & ClusterFlags,
  argv: readonly string[],
): Promise<{readonly cluster: OpenedCluster; readonly releases: readonly string[]}> {
  const {file = flags.environment, releases} = splitArguments(argv)
  const environment = file === undefined ? undefined : await loadEnvironment({file})
  return {cluster: await openChosenCluster(flags, environment), releases}
}

/**
 * Reports on standard error, after the first successful deploy of an environment, which protected releases of
 * the plan are not guarded. Never installs the guard.
 */
export async function offerGuard(
  cluster: Cluster,
  {environment, actions}: Plan,
  {console, place}: {readonly console: Console; readonly place: string},
): Promise<void> {
  const protectedReleases = actions.filter((action) => action.protected).map(({release}) => release)
  if (protectedReleases.length === 0 || (await wasDeployed(cluster, environment))) return
  const unguardedReleases = await unguarded(cluster, protectedReleases)
  if (unguardedReleases.length > 0)
    console.say(guardOfferText(unguardedReleases, place, console.palette('stderr')))
}

/** Returns true if an earlier run deployed the environment; false also if its runs cannot be read. */
async function wasDeployed({runs}: Cluster, environment: string): Promise<boolean> {
  const recorded = await runs.list(environment).catch(() => [])
  return recorded.filter(({verb, outcome}) => verb === 'deploy' && outcome === 'succeeded').length > 1
}
