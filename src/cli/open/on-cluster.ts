import type {Cluster} from '../../cluster/cluster.ts'
import type {Environment} from '../../environment/environment.ts'
import {
  type EnvironmentFlags,
  type Opened,
  openChosenCluster,
  openEnvironment,
  prepareEnvironment,
  type ValueFlags,
} from '../open.ts'
import {type ClusterFlags, namesCluster} from './choose-cluster.ts'
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
  /** How the environment is prepared; without what is missing nothing is, unless another way is given. */
  readonly prepare?: typeof prepareEnvironment
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
    const {prepare = prepareEnvironment} = options
    const prepared = await prepare(environment, flags, {cluster: cluster.open})
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
  const prepared = await withUnstated(flags, {environment, say}, (unstated) =>
    prepareEnvironment(environment, flags, unstated),
  )
  return {prepared, releases}
}

interface NamedOptions {
  readonly argv: readonly string[]
  readonly say: (line: string) => void
}

/** Does something with an environment and, if the command line names one, its cluster. */
export async function openOnNamedCluster<T>(
  flags: EnvironmentFlags & ClusterFlags,
  {argv, say}: NamedOptions,
  body: (environment: Environment, cluster: Cluster | undefined) => Promise<T>,
): Promise<T> {
  const {environment} = await openEnvironment(flags, argv)
  if (!namesCluster(flags)) return body(environment, undefined)
  const cluster = await openChosenCluster(flags, environment, {start: false, say})
  return body(environment, cluster).finally(() => cluster.close())
}

/**
 * Does something with the one who tells the facts that nobody states: the cluster that the command line names; where it
 * names none, they stay unknown, and it is said which those are.
 */
export async function withUnstated<T>(
  flags: ClusterFlags,
  {environment, say}: {readonly environment: Environment; readonly say: (line: string) => void},
  body: (unstated: Unstated) => Promise<T>,
): Promise<T> {
  if (!namesCluster(flags)) {
    const onMissing = (names: readonly string[]) =>
      say(
        `note: system overrides are made without ${names.join(', ')}, which a deploy asks of the cluster: ` +
          'name it with --context or --sandbox, or state them with --facts',
      )
    return body({onMissing})
  }
  const cluster = lazyCluster(flags, environment, {start: false, say})
  try {
    return await body({cluster: cluster.open})
  } finally {
    await cluster.close()
  }
}
