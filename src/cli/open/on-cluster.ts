import type {Cluster} from '../../cluster/cluster.ts'
import type {Prepared} from '../../verbs/preparation/prepare.ts'
import {
  type EnvironmentFlags,
  type Opened,
  openEnvironment,
  prepareEnvironment,
  type ValueFlags,
} from '../open.ts'
import {namesCluster} from './choose-cluster.ts'
import {lazyCluster} from './lazy-cluster.ts'
import type {Unstated} from './place-layers.ts'

interface OnCluster extends Opened {
  /** Whoever asked for it closes it. */
  readonly cluster: Cluster
}

interface OpenOptions {
  /** Start the sandbox when it does not run. */
  readonly start: boolean
  readonly say: (line: string) => void
}

/**
 * The environment that arguments and flags mean, and its cluster, which tells the facts that nobody states. Nothing is
 * asked of the cluster before the environment and its charts were read, nor for charts without a plugin.
 */
export async function openOnCluster(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
  options: OpenOptions,
): Promise<OnCluster> {
  const {environment, releases} = await openEnvironment(flags, argv)
  const cluster = lazyCluster(flags, environment, options)
  try {
    const prepared = await prepareEnvironment(environment, flags, {cluster: cluster.open})
    return {prepared, releases, cluster: await cluster.open()}
  } catch (error) {
    await cluster.close()
    throw error
  }
}

/** The same for those who only look at values: a cluster is asked for facts only when the command line names one. */
export async function openValues(
  flags: EnvironmentFlags & ValueFlags,
  argv: readonly string[],
  say: (line: string) => void,
): Promise<Opened> {
  const {environment, releases} = await openEnvironment(flags, argv)
  const prepared = (unstated: Unstated): Promise<Prepared> => prepareEnvironment(environment, flags, unstated)
  if (!namesCluster(flags)) {
    const onMissing = (names: readonly string[]) =>
      say(
        `note: system overrides are made without ${names.join(', ')}, which a deploy asks of the cluster: ` +
          'name it with --context or --sandbox, or state them with --facts',
      )
    return {prepared: await prepared({onMissing}), releases}
  }
  const cluster = lazyCluster(flags, environment, {start: false, say})
  try {
    return {prepared: await prepared({cluster: cluster.open}), releases}
  } finally {
    await cluster.close()
  }
}
