import type {Environment} from '../../environment/environment.ts'
import {asKkError} from '../../errors.ts'
import type {KnownFacts} from '../../overrides/facts/facts.ts'
import {type FactSources, knownFacts} from '../../verbs/facts/known-facts.ts'
import {type ClusterFlags, namesCluster} from '../open/choose-cluster.ts'
import {type FactsFlags, factsFile} from '../open/facts.ts'
import {lazyCluster} from '../open/lazy-cluster.ts'
import {type EnvironmentFlags, openEnvironment} from '../open.ts'

/**
 * The facts of these names. With a facts file, the cluster is asked only when the command line names one: so what is
 * made of a facts file is the same everywhere, and needs no cluster.
 */
export async function openFacts(
  flags: FactsFlags & ClusterFlags,
  environment: Environment | undefined,
  names: FactSources['names'],
): Promise<KnownFacts> {
  const file = factsFile(flags)
  const named = namesCluster(flags)
  const cluster = lazyCluster(flags, environment, {start: false, say: () => undefined})
  const asks = file === undefined || named
  try {
    return await knownFacts({file, environment, names, ...(asks && {cluster: cluster.open})})
  } finally {
    await cluster.close()
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
