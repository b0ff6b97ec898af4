import type {Cluster} from '../../cluster/cluster.ts'
import type {Environment} from '../../environment/environment.ts'
import {asKkError} from '../../errors.ts'
import type {FactName, KnownFacts} from '../../overrides/facts/facts.ts'
import {builtInPlugins, type Plugins, withPlugins} from '../../overrides/system/plugins.ts'
import {knownFacts} from '../../verbs/facts/known-facts.ts'
import type {ClusterFlags} from '../open/choose-cluster.ts'
import {type EnvironmentFlags, openChosenCluster, openEnvironment} from '../open.ts'

export interface FactsFlags extends ClusterFlags {
  readonly facts?: string | undefined
}

/** The facts file that the flag, or KK_FACTS, names. */
export function factsFile({facts}: Pick<FactsFlags, 'facts'>): string | undefined {
  return facts ?? (process.env['KK_FACTS'] || undefined)
}

/**
 * The facts of these names. With a facts file, the cluster is asked only when the command line names one: so what is
 * made of a facts file is the same everywhere, and needs no cluster.
 */
export async function openFacts(
  flags: FactsFlags,
  environment: Environment | undefined,
  names: Iterable<FactName>,
): Promise<KnownFacts> {
  const file = factsFile(flags)
  const named =
    flags.sandbox ||
    [flags['sandbox-name'], flags.kubeconfig, flags.context].some((flag) => flag !== undefined)
  let opened: Promise<Cluster> | undefined
  const cluster = () => {
    opened ??= openChosenCluster(flags, environment, {start: false, say: () => undefined})
    return opened
  }
  try {
    return await knownFacts({file, environment, names, ...((file === undefined || named) && {cluster})})
  } finally {
    await (await opened?.catch(() => undefined))?.close()
  }
}

/** The environment that is named or found; undefined where there is none, or several to choose from. */
export async function openEnvironmentIfAny(
  flags: EnvironmentFlags,
  argv: readonly string[],
): Promise<Environment | undefined> {
  try {
    return (await openEnvironment(flags, argv)).environment
  } catch (error) {
    if (asKkError(error).code === 'KK_NO_ENVIRONMENT') return undefined
    throw error
  }
}

/** kk's own plugins, with those of the directory that the flag, or KK_PLUGINS, names. */
export async function openPlugins({plugins}: {readonly plugins?: string | undefined}): Promise<Plugins> {
  const directory = plugins ?? (process.env['KK_PLUGINS'] || undefined)
  if (directory === undefined) return builtInPlugins()
  const {readPlugins} = await import('../../overrides/system/outside/read-plugins.ts')
  return withPlugins(builtInPlugins(), await readPlugins(directory))
}
