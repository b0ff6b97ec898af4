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

/** The flags of every command that changes the guard. */
export const guardFlags = {
  yes: changeFlags.yes,
  'dry-run': changeFlags['dry-run'],
  ...environmentFlags,
  ...clusterFlags,
}

/**
 * Opens the cluster that the flags mean, with the arguments that name releases: the guard belongs to the whole cluster, so
 * an environment file only says which one. Whoever asked for it closes the cluster.
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
 * Says on standard error, after the first deploy of an environment that succeeded, that protected releases of the plan are
 * not guarded; never installs the guard.
 */
export async function offerGuard(
  cluster: Cluster,
  {environment, actions}: Plan,
  {console, place}: {readonly console: Console; readonly place: string},
): Promise<void> {
  const isProtected = actions.filter((action) => action.protected).map(({release}) => release)
  if (isProtected.length === 0 || (await wasDeployed(cluster, environment))) return
  const open = await unguarded(cluster, isProtected)
  if (open.length > 0) console.say(guardOfferText(open, place, console.palette('stderr')))
}

/** Returns true when an earlier run has deployed the environment; false also where its runs cannot be read. */
async function wasDeployed({runs}: Cluster, environment: string): Promise<boolean> {
  const known = await runs.list(environment).catch(() => [])
  return known.filter(({verb, outcome}) => verb === 'deploy' && outcome === 'succeeded').length > 1
}
