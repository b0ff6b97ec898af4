import type {Cluster} from '../cluster/cluster.ts'
import {splitArguments} from '../environment/choose.ts'
import {loadEnvironment} from '../environment/load.ts'
import type {Plan} from '../plan/plan.ts'
import {guardOfferText} from '../report/guard-text.ts'
import {unguarded} from '../verbs/guard.ts'
import {type Console, tell} from './console.ts'
import {type ClusterFlags, openChosenCluster} from './open/cluster.ts'

interface GuardFlags extends ClusterFlags {
  readonly environment?: string | undefined
}

/**
 * Works on the cluster that the flags mean: the guard belongs to the whole cluster, so an environment file only says
 * which one. Gives the arguments that name releases.
 */
export async function onGuardedCluster<T>(
  flags: GuardFlags,
  argv: readonly string[],
  body: (cluster: Cluster, releases: readonly string[]) => Promise<T>,
): Promise<T> {
  const {file = flags.environment, releases} = splitArguments(argv)
  const environment = file === undefined ? undefined : await loadEnvironment({file})
  const cluster = await openChosenCluster(flags, environment, {start: false, say: () => {}})
  try {
    return await body(cluster, releases)
  } finally {
    await cluster.close()
  }
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
  if (open.length > 0) tell('stderr', guardOfferText(open, place, console.palette('stderr')))
}

/** Whether more than the run that has just ended has deployed it; who cannot be told is told once more. */
async function wasDeployed({runs}: Cluster, environment: string): Promise<boolean> {
  const known = await runs.list(environment).catch(() => [])
  return known.filter(({verb, outcome}) => verb === 'deploy' && outcome === 'succeeded').length > 1
}
